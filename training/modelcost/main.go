// Command modelcost measures what it costs to have texts read: by the gate, by the
// judge, by both as they ship, and by a model directory of another shape.
//
//	make model-cost DATA=/path/to/data SHAPE=training/work/shape/22m
//
// All of them read the same texts in one run, text after text in turn, so that the
// ratios hold on a busy machine. What is counted is processor time. The lengths are
// those of MCP traffic, the texts harmless ones of the data of training/; the weights
// of another shape may be random, the time they take is the same.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/inference"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
	judgemodel "github.com/sallyport-mcp/sallyport/models/judge"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "modelcost:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	var data, shape, runtime, page string
	var count int
	var seed uint64
	f := flag.NewFlagSet("modelcost", flag.ContinueOnError)
	f.StringVar(&data, "data", "", "`folder` with calibration/benign-mcp.jsonl.gz")
	f.StringVar(&shape, "shape", "", "also measure this model `folder`, alone and behind the gate; see training/shape")
	f.StringVar(&page, "page", "", "renew the table of this Markdown `file`, between its marks, instead of printing it")
	f.StringVar(&runtime, "runtime", os.Getenv("ONNXRUNTIME_LIB"), "`path` of libonnxruntime")
	f.IntVar(&count, "texts", 300, "`number` of texts")
	f.Uint64Var(&seed, "seed", 1, "seed of texts and lengths")
	if err := f.Parse(args); err != nil {
		return err
	}
	if data == "" || f.NArg() > 0 || count < 1 {
		f.Usage()
		return errors.New("-data is required, -texts must be positive")
	}
	texts, err := load(data, count, seed)
	if err != nil {
		return err
	}
	models, err := openAll(shape, runtime)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, models.close()) }()
	progress := measure.NewProgress(os.Stderr)
	costs, err := compare(ctx, models.contestants(), texts, progress)
	progress.Done()
	if err != nil {
		return err
	}
	if page != "" {
		return renew(page, markdown(costs, texts))
	}
	_, err = fmt.Print(markdown(costs, texts))
	return err
}

// models are the classifiers of a run; other is nil without a further shape.
type models struct{ gate, judge, other *inference.Classifier }

func openAll(shape, runtime string) (m models, err error) {
	open := func(src inference.Source, unproved bool) *inference.Classifier {
		if err != nil {
			return nil
		}
		var c *inference.Classifier
		c, err = inference.Open(src, inference.Options{RuntimeLib: runtime, SkipSelfTest: unproved})
		return c
	}
	m.gate = open(inference.FS(defaultmodel.FS()), false)
	m.judge = open(inference.FS(judgemodel.FS()), false)
	if shape != "" {
		m.other = open(inference.Dir(shape, ""), true)
	}
	if err != nil {
		err = errors.Join(err, m.close())
	}
	return m, err
}

func (m models) close() error {
	var errs []error
	for _, c := range []*inference.Classifier{m.gate, m.judge, m.other} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// contestants are the ways to read that are compared.
func (m models) contestants() []contestant {
	out := []contestant{
		{name: "gate alone", judge: m.gate},
		{name: "judge alone", judge: m.judge},
		{name: "judge behind the gate (default)", judge: m.judge, gate: m.gate},
	}
	if m.other != nil {
		name := m.other.Info().Name
		out = append(out,
			contestant{name: name + " shape alone", judge: m.other, wide: true},
			contestant{name: name + " shape behind the gate", judge: m.other, gate: m.gate})
	}
	return out
}

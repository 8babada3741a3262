// Command guardeval measures the whole guardrail: it sends the texts of the
// evaluation sets through an engine with the settings a user has who changes
// nothing, and reports what was blocked, what was put before a person, and which
// part of the engine saw it.
//
//	make guard-eval DATA=/path/to/data
//
// It asks the engine as a gateway would ([sallyport.Engine.CheckResponse],
// [sallyport.Engine.CheckRequest]) and reads the answer from the verdict and from the
// audit line. It changes no threshold and knows no detector's inside. The data is
// that of training/: JSON lines in dev/ (evaluation) and calibration/ (harmless texts
// that set the model's thresholds, so that figures on them are marked).
//
// The same data, settings and model give the same report.
package main

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/inference"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
	judgemodel "github.com/sallyport-mcp/sallyport/models/judge"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "guardeval:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	data, out, rows string
	page            string
	model, runtime  string
	sets            string
	sample, workers int
}

// modelOff runs without a classifier.
const modelOff = "off"

func run(ctx context.Context, args []string) error {
	var o options
	f := flag.NewFlagSet("guardeval", flag.ContinueOnError)
	f.StringVar(&o.data, "data", "", "`folder` with dev/ and calibration/")
	f.StringVar(&o.out, "out", "", "write guard-eval.md, .json and .svg into this `folder`; without it the Markdown is printed")
	f.StringVar(&o.page, "page", "", "also renew the figures of this Markdown `file`, between its marks, and the picture beside it")
	f.StringVar(&o.rows, "rows", "", "also write every text with its outcome into this `file`, as JSON lines")
	f.StringVar(&o.model, "model", "default", "classifier: default (gate and judge), gate, judge, off, or a model `folder` behind the gate")
	f.StringVar(&o.runtime, "runtime", os.Getenv("ONNXRUNTIME_LIB"), "`path` of libonnxruntime")
	f.StringVar(&o.sets, "sets", "", "only the sets whose names contain one of these `words`, separated by commas")
	f.IntVar(&o.sample, "sample", 0, "at most this `number` of attacks and of harmless texts per set; 0 takes all")
	f.IntVar(&o.workers, "workers", 2, "`number` of texts asked about at once, and of inferences")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.data == "" || f.NArg() > 0 || o.sample < 0 || o.workers < 1 {
		f.Usage()
		return errors.New("-data is required, -sample and -workers must make sense")
	}
	sets, err := load(o.data)
	if err != nil {
		return err
	}
	sets = choose(sets, o.sets, o.sample)
	if len(sets) == 0 {
		return fmt.Errorf("no set matches %q", o.sets)
	}
	g, err := start(ctx, source(o.model), o.runtime, o.workers)
	if err != nil {
		return err
	}
	progress := measure.NewProgress(os.Stderr)
	answers, err := g.askAll(ctx, sets, o.workers, progress)
	progress.Done()
	if err := errors.Join(err, g.stop()); err != nil {
		return err
	}
	if o.rows != "" {
		if err := writeRows(o.rows, sets, answers); err != nil {
			return err
		}
	}
	e := evaluate(g.model, sets, answers)
	if o.page != "" {
		if err := e.renew(o.page); err != nil {
			return err
		}
	}
	if o.out == "" && o.page == "" {
		fmt.Print(e.markdown(""))
	}
	if o.out == "" {
		return nil
	}
	return e.write(o.out)
}

// classifiers are what a word or a path names: one that reads everything, or a judge
// behind a gate. The zero value is none.
type classifiers struct{ judge, gate *inference.Source }

func source(name string) classifiers {
	gate, judge := inference.FS(defaultmodel.FS()), inference.FS(judgemodel.FS())
	switch name {
	case modelOff:
		return classifiers{}
	case "default":
		return classifiers{judge: &judge, gate: &gate}
	case "gate":
		return classifiers{judge: &gate}
	case "judge":
		return classifiers{judge: &judge}
	}
	own := inference.Dir(name, "")
	return classifiers{judge: &own, gate: &gate}
}

// The files of a report.
const (
	markdownFile = "guard-eval.md"
	jsonFile     = "guard-eval.json"
	pictureFile  = "guard-eval.svg"
)

// write puts the report into a folder: a page, its figures and a picture.
func (e *evaluation) write(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	figures, err := json.Marshal(e, json.Deterministic(true), jsontext.WithIndent(" "))
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for name, data := range map[string][]byte{
		markdownFile: []byte(e.markdown(pictureFile)), jsonFile: append(figures, '\n'), pictureFile: []byte(e.picture()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil { //nolint:gosec // a report is for everyone
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

// The marks between which a page holds the figures.
const (
	figuresBegin = "<!-- figures begin -->\n"
	figuresEnd   = "<!-- figures end -->"
)

// renew replaces the figures of a page and the picture beside it, which has its name.
func (e *evaluation) renew(page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("renew page: %w", err)
	}
	before, rest, begins := strings.Cut(string(text), figuresBegin)
	_, after, ended := strings.Cut(rest, figuresEnd)
	if !begins || !ended {
		return fmt.Errorf("renew page %q: it has no %q and %q", page, strings.TrimSpace(figuresBegin), figuresEnd)
	}
	picture := strings.TrimSuffix(page, filepath.Ext(page)) + ".svg"
	for name, data := range map[string]string{
		page:    before + figuresBegin + e.markdown(filepath.Base(picture)) + figuresEnd + after,
		picture: e.picture(),
	} {
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil { //nolint:gosec // a page is for everyone
			return fmt.Errorf("renew page: %w", err)
		}
	}
	return nil
}

// writeRows writes what became of every text, for whoever wants to know why.
func writeRows(path string, sets []set, answers [][]answer) error {
	var b strings.Builder
	for i, s := range sets {
		for j, r := range s.rows {
			a := answers[i][j]
			line, err := json.Marshal(struct {
				Set     string            `json:"set"`
				Kind    string            `json:"kind"`
				Label   int               `json:"label"`
				Outcome string            `json:"outcome"`
				Score   float64           `json:"score"`
				Parts   map[string]string `json:"parts"`
				Text    string            `json:"text"`
			}{s.name, r.kind, r.label, a.outcome.String(), a.score, a.words(), r.text}, json.Deterministic(true))
			if err != nil {
				return fmt.Errorf("write rows: %w", err)
			}
			b.Write(line)
			b.WriteByte('\n')
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}

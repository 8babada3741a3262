package main

import (
	"bufio"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/inference"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// modelOptions are the flags that the model commands share.
type modelOptions struct{ file, label, lib string }

func modelCommand() *cobra.Command {
	var o modelOptions
	cmd := group(&cobra.Command{Use: "model", Short: "Inspect, prove and run a classifier directory"})
	f := cmd.PersistentFlags()
	f.StringVar(&o.file, "file", "", "network file of the directory (default model.onnx)")
	f.StringVar(&o.label, "label", "", "the malicious label (default: found in config.json)")
	f.StringVar(&o.lib, "lib", os.Getenv("ONNXRUNTIME_LIB"), "path of libonnxruntime")
	cmd.AddCommand(modelInspect(&o), modelSelfTest(&o), modelScore(&o), modelCalibrate(&o))
	return cmd
}

// with runs f on the model in the directory, or on the embedded default when there
// is no argument.
func (o *modelOptions) with(args []string, prove bool, f func(*inference.Classifier) error) error {
	src := inference.FS(defaultmodel.FS())
	if len(args) == 1 && args[0] != "default" {
		src = inference.Dir(args[0], o.file)
	}
	c, err := inference.Open(src, inference.Options{RuntimeLib: o.lib, Label: o.label, SkipSelfTest: !prove})
	if err != nil {
		return failed(err)
	}
	return failed(errors.Join(f(c), c.Close()))
}

func modelInspect(o *modelOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect [DIR|default]",
		Short: "Load a model directory and say what it is",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(args, false, func(c *inference.Classifier) error {
				return describe(cmd.OutOrStdout(), c.Info())
			})
		},
	}
}

func describe(out io.Writer, i inference.Info) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range [][2]any{
		{"name", i.Name}, {"version", i.Version}, {"id", i.ID},
		{"labels", i.Labels}, {"malicious label", i.Label},
		{"tokenizer", fmt.Sprintf("%s, %d ids", i.Tokenizer, i.VocabSize)},
		{"longest window", fmt.Sprintf("%d ids", i.MaxTokens)},
		{"windows", fmt.Sprintf("%d ids, %.0f %% overlap; wide %d", i.WindowTokens, 100*i.Overlap, i.WideTokens)},
		{"block at", i.Block}, {"review at", i.Review}, {"as a gate", clears(i)},
		{"calibrated", i.Calibrated}, {"calibration set", i.CalibrationSet},
		{"batch invariant", i.BatchInvariant},
		{"ONNX Runtime", i.Runtime},
	} {
		fmt.Fprintf(w, "%v\t%v\n", row[0], row[1])
	}
	for _, name := range slices.Sorted(maps.Keys(i.Surfaces)) {
		fmt.Fprintf(w, "surface %s\tblock at %v, review at %v\n", name, i.Surfaces[name].Block, i.Surfaces[name].Review)
	}
	for _, file := range slices.Sorted(maps.Keys(i.Files)) {
		fmt.Fprintf(w, "sha256 %s\t%s\n", file, i.Files[file])
	}
	return w.Flush()
}

// clears says what a model does in front of another.
func clears(i inference.Info) string {
	if i.Clear == 0 {
		return "not calibrated as one"
	}
	return fmt.Sprintf("clears windows below %v", i.Clear)
}

func modelSelfTest(o *modelOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "selftest [DIR|default]",
		Short: "Prove that a model tells known injections from benign texts",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(args, true, func(c *inference.Classifier) error {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "proved: known injections score %.3f above benign texts on average (0.3 is needed)\n", c.Info().Separation)
				return err
			})
		},
	}
}

func modelScore(o *modelOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "score [DIR|default]",
		Short: "Score texts: JSON lines {id,text} in, {id,score,windows} out",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(args, true, func(c *inference.Classifier) error {
				return score(cmd.OutOrStdout(), cmd.InOrStdin(), reader{c, wide(args)})
			})
		},
	}
}

const (
	// maxScoreLine bounds one input line, in bytes.
	maxScoreLine = 64 << 20
	// maxScoreWindows bounds the windows of one text.
	maxScoreWindows = 1 << 20
	// scoreBatch is how many windows run together.
	scoreBatch = 8
)

// reader scores whole texts the way the sidecar reads them: with a model of the
// user's own, wide windows; with the embedded one, those it was calibrated on.
type reader struct {
	c    *inference.Classifier
	wide bool
}

func wide(args []string) bool { return len(args) >= 1 && args[0] != "default" }

// score returns the highest score of the windows of a text, and their number.
func (r reader) score(text string) (top float32, windows int, err error) {
	all, _ := r.c.Plan(nil, text, inference.PlanOptions{Budget: maxScoreWindows, Wide: r.wide})
	for at := 0; at < len(all); at += scoreBatch {
		scores, err := r.c.Run(inference.RunControl{}, all[at:min(at+scoreBatch, len(all))])
		if err != nil {
			return 0, 0, err
		}
		for _, s := range scores {
			top = max(top, s)
		}
	}
	return top, len(all), nil
}

// eachText calls f with every text of a stream of JSON lines {id,text}.
func eachText(in io.Reader, f func(id jsontext.Value, text string) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxScoreLine)
	for n := 1; lines.Scan(); n++ {
		var item struct {
			ID   jsontext.Value `json:"id"`
			Text *string        `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if item.Text == nil {
			return fmt.Errorf("line %d: it has no text", n)
		}
		if err := f(item.ID, *item.Text); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return lines.Err()
}

// score reads texts and writes their scores.
func score(out io.Writer, in io.Reader, r reader) error {
	w := bufio.NewWriter(out)
	err := eachText(in, func(id jsontext.Value, text string) error {
		top, windows, err := r.score(text)
		if err != nil {
			return err
		}
		if err := json.MarshalWrite(w, struct {
			ID      jsontext.Value `json:"id,omitzero"`
			Score   float32        `json:"score"`
			Windows int            `json:"windows"`
		}{id, top, windows}); err != nil {
			return err
		}
		return w.WriteByte('\n')
	})
	return errors.Join(err, w.Flush())
}

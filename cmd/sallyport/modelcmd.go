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

// The words for what is in the binary.
const (
	wordDefault = "default" // both, as the sidecar reads with them
	wordGate    = "gate"
	wordJudge   = "judge"
)

// with runs f on the models that an argument names: a directory, a word, or, without
// an argument, what is in the binary. Gated puts the embedded gate in front of a
// directory.
func (o *modelOptions) with(args []string, gated, prove bool, f func(reader) error) error {
	if len(args) > 0 && args[0] == "" { // a variable that was not set
		return &exitError{code: exitUsage, err: errors.New("model: the name of the directory is empty; leave it out for what is in the binary")}
	}
	r, err := o.open(args, gated, prove)
	if err != nil {
		return failed(err)
	}
	return failed(errors.Join(f(r), r.close()))
}

func (o *modelOptions) open(args []string, gated, prove bool) (reader, error) {
	r := reader{wide: wide(args)}
	judge, gate := inference.FS(inBinary.second), inference.FS(inBinary.first)
	switch {
	case r.wide:
		judge = inference.Dir(args[0], o.file)
	case len(args) == 0 || args[0] == wordDefault:
		gated = true
	case args[0] == wordGate:
		judge, gated = gate, false
	}
	var err error
	if gated {
		r.wide = false
		if r.gate, err = inference.Open(gate, inference.Options{RuntimeLib: o.lib, SkipSelfTest: !prove}); err != nil {
			return reader{}, err
		}
	}
	r.judge, err = inference.Open(judge, inference.Options{RuntimeLib: o.lib, Label: o.label, SkipSelfTest: !prove})
	if err != nil {
		return reader{}, errors.Join(err, r.close())
	}
	return r, nil
}

func modelInspect(o *modelOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect [DIR|default|gate|judge]",
		Short: "Load a model directory and say what it is",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(args, false, false, func(r reader) error {
				out, between := cmd.OutOrStdout(), ""
				return r.each(func(c *inference.Classifier) error {
					fmt.Fprint(out, between)
					between = "\n" // two models are two blocks
					return describe(out, c.Info())
				})
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
		Use:   "selftest [DIR|default|gate|judge]",
		Short: "Prove that a model tells known injections from benign texts",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(args, false, true, func(r reader) error {
				return r.each(func(c *inference.Classifier) error {
					_, err := fmt.Fprintf(cmd.OutOrStdout(), "proved %s: known injections score %.3f above benign texts on average (0.3 is needed)\n",
						c.Info().Name, c.Info().Separation)
					return err
				})
			})
		},
	}
}

func modelScore(o *modelOptions) *cobra.Command {
	var gate *bool
	cmd := &cobra.Command{
		Use:   "score [DIR|default|gate|judge]",
		Short: "Score texts: JSON lines {id,text} in, {id,score,windows} out",
		Long: `Score prints the highest score of the windows of each text. With a gate in front
(default, or --gate) it is the judge's where the judge read, else the gate's, and
"judged" counts the judge's windows.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(args, *gate, true, func(r reader) error {
				return score(cmd.OutOrStdout(), cmd.InOrStdin(), r)
			})
		},
	}
	gate = cmd.Flags().Bool("gate", false, "put the embedded gate in front of DIR, as MODEL_GATE=on does")
	return cmd
}

// maxScoreLine bounds one input line, in bytes.
const maxScoreLine = 64 << 20

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
		of, err := r.score(text)
		if err != nil {
			return err
		}
		if err := json.MarshalWrite(w, struct {
			ID      jsontext.Value `json:"id,omitzero"`
			Score   float32        `json:"score"`
			Windows int            `json:"windows"`
			Judged  *int           `json:"judged,omitempty"`
		}{id, of.top, of.windows, of.judged}); err != nil {
			return err
		}
		return w.WriteByte('\n')
	})
	return errors.Join(err, w.Flush())
}

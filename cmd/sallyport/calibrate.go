package main

import (
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/inference"
)

func modelCalibrate(o *modelOptions) *cobra.Command {
	var benign []string
	var gate *bool
	cmd := &cobra.Command{
		Use:   "calibrate DIR --benign FILE...",
		Short: "Set the thresholds of a model on your own benign texts and write them into its sallyport.json",
		Long: `Calibrate scores benign documents (JSON lines {text}) and sets the thresholds just
above them: block at the 99.5th percentile, review at the 98th, both as upper 95 %
confidence bounds. With too few documents for a bound it says how many are needed.
The documents are read behind the embedded gate, as the sidecar reads by default; for
MODEL_GATE=off calibrate with --gate=false.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(benign) == 0 {
				return &exitError{code: exitUsage, err: errors.New("model calibrate: give --benign FILE")}
			}
			if !wide(args) {
				return &exitError{code: exitUsage, err: errors.New("model calibrate: what is in the binary cannot be changed; copy models/judge to a directory")}
			}
			return o.with(args, *gate, true, func(r reader) error {
				return calibrate(cmd.OutOrStdout(), args[0], r, benign)
			})
		},
	}
	gate = cmd.Flags().Bool("gate", true, "put the embedded gate in front of DIR, as MODEL_GATE=on does")
	cmd.Flags().StringSliceVar(&benign, "benign", nil, "JSON lines of benign documents, each {\"text\": ...}")
	return cmd
}

// calibrate scores the documents of files and saves thresholds in the directory.
func calibrate(out io.Writer, dir string, r reader, files []string) error {
	var scores []float64
	for _, name := range files {
		if err := scoreFile(name, r, &scores); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	t, warnings, err := inference.Calibrate(scores)
	if err != nil {
		return err
	}
	m, err := manifestOf(dir)
	if err != nil {
		return err
	}
	// What was calibrated before, per surface, was calibrated on something else.
	m.Thresholds = map[string]inference.Thresholds{inference.DefaultSurface: t}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = filepath.Base(f)
	}
	m.Calibration = inference.Calibration{Set: strings.Join(names, ", "), Documents: len(scores)}
	if err := inference.SaveManifest(dir, m); err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintln(out, "warning:", w)
	}
	_, err = fmt.Fprintf(out, "%d documents: block at %v, review at %v; written to %s\n", len(scores), t.Block, t.Review, filepath.Join(dir, inference.ManifestFile))
	return err
}

func scoreFile(name string, r reader, scores *[]float64) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return eachText(file, func(_ jsontext.Value, text string) error {
		of, err := r.score(text)
		*scores = append(*scores, float64(of.top))
		return err
	})
}

// manifestOf reads the directory's manifest; one that is not there is empty.
func manifestOf(dir string) (inference.Manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, inference.ManifestFile))
	if errors.Is(err, os.ErrNotExist) {
		return inference.Manifest{}, nil
	}
	if err != nil {
		return inference.Manifest{}, err
	}
	return inference.ParseManifest(data)
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/drill"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
)

func drainCommand() *cobra.Command {
	var o drill.Options
	var out output
	var rows, markdown, picture string
	var restarts int
	cmd := &cobra.Command{
		Use:   "drain",
		Short: "Prove from outside how the sidecar stops",
		Long: `Prove from outside how the sidecar stops: start the real binary, keep slow
exchanges in flight, send signals, go on calling on new connections, and hold what
was seen against what is promised. Exit 1 when something does not hold.

Rows: ` + drill.Names(drill.Matrix(time.Second, drill.RollingRestarts)) + ".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Traffic < 100*time.Millisecond || o.Traffic > time.Minute {
				return fmt.Errorf("traffic is %v, want 100ms to 1m", o.Traffic)
			}
			if restarts < 1 || restarts > 100 {
				return fmt.Errorf("restarts is %d, want 1 to 100", restarts)
			}
			var err error
			o.Rows, err = drill.Select(drill.Matrix(o.Traffic, restarts), rows)
			if err = errors.Join(err, out.check(markdown, picture)); err != nil {
				return err
			}
			o.Progress = measure.NewProgress(os.Stderr)
			verdicts, err := drill.Run(cmd.Context(), o)
			if err != nil {
				return failure{err}
			}
			rep := drill.Report(verdicts, o.Traffic)
			if err := out.write(cmd, rep); err != nil {
				return failure{err}
			}
			if err := pages(verdicts, o.Traffic, markdown, picture); err != nil {
				return failure{err}
			}
			broken := 0
			for _, v := range verdicts {
				if !v.Held() {
					broken++
				}
			}
			if broken > 0 {
				return failure{fmt.Errorf("%d of %d rows do not hold", broken, len(verdicts))}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Sallyport, "sallyport", "bin/sallyport", "the sidecar to drill")
	f.DurationVar(&o.Traffic, "traffic", time.Second, "for how long calls are started after the signal")
	f.IntVar(&restarts, "restarts", drill.RollingRestarts, "restarts in the row \"rolling\"")
	f.StringVar(&rows, "row", "", "rows to run, separated by commas (default: all)")
	f.StringVar(&markdown, "markdown", "", "also write the matrix as a page of the manual into this file")
	f.StringVar(&picture, "picture", "", "also write the timeline of the row \"drain\" as an SVG file, and that of \"rolling\" as rolling.svg beside it; the page shows them")
	out.flags(cmd)
	return cmd
}

// pages writes what the manual shows.
func pages(verdicts []*drill.Verdict, traffic time.Duration, markdown, picture string) error {
	for _, v := range verdicts {
		file, ok := v.PictureFile(picture)
		if picture == "" || !ok {
			continue
		}
		if err := writePicture(file, v.Picture); err != nil {
			return err
		}
	}
	if markdown == "" {
		return nil
	}
	return os.WriteFile(markdown, []byte(drill.Markdown(verdicts, traffic, filepath.Base(picture))), pageMode)
}

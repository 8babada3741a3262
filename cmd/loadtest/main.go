// Loadtest measures Sallyport and proves how it stops.
//
//	loadtest model    batched inference: the model pool against the bare runtime
//	loadtest serve    the whole sidecar through gRPC, under an open loop
//	loadtest soak     the whole sidecar for a long time: what grows?
//	loadtest drain    the shutdown drill, against the real binary
//
// It decides nothing and is no part of the product. It talks to loopback only.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/mesh"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/folder"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// Exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1 // it could not be measured, or an expectation does not hold
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// failure is an error that exits with 1; every other one is a usage error.
type failure struct{ err error }

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string) int {
	root := &cobra.Command{
		Use: "loadtest", Short: "Measure Sallyport and prove how it stops", Version: build.Version(),
		SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return errors.New("name a command: model, serve, soak or drain") },
	}
	root.AddCommand(modelCommand(), serveCommand(), soakCommand(), drainCommand(), echoCommand())
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var failed failure
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &failed):
		fmt.Fprintln(os.Stderr, "loadtest:", failed.err)
		return exitFailed
	default:
		fmt.Fprintf(os.Stderr, "loadtest: %v\nRun 'loadtest --help' for the commands.\n", err)
		return exitUsage
	}
}

// echoCommand is the yardstick's server, which other commands start.
func echoCommand() *cobra.Command {
	return &cobra.Command{Use: mesh.EchoCommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return mesh.Echo(cmd.Context(), cmd.OutOrStdout()) }}
}

// output is where a report goes.
type output struct {
	format string
	files  []string
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", "text", "text, json or html")
	cmd.Flags().StringArrayVar(&o.files, "out", nil, "write to this file instead of standard output; its extension decides the format; may be repeated")
}

// check finds mistakes before anything is measured, and files that could not be
// written then: those of the output and others.
func (o *output) check(others ...string) error {
	_, err := report.ParseEncoding(o.format)
	for _, file := range slices.Concat(o.files, others) {
		if fault := fileFault(file); fault != nil {
			err = errors.Join(err, failure{fmt.Errorf("write %q: %w", file, fault)})
		}
	}
	return err
}

// fileFault is why a file could not be written; "" is none.
func fileFault(file string) error {
	if file == "" {
		return nil
	}
	info, err := os.Stat(file)
	switch {
	case err != nil: // to be made
		return folder.Writable(filepath.Dir(file))
	case info.IsDir():
		return errors.New("it is a directory")
	}
	return nil
}

func (o *output) write(cmd *cobra.Command, r *report.Report) error {
	for _, file := range o.files {
		if err := r.WriteFile(file); err != nil {
			return err
		}
	}
	if len(o.files) > 0 {
		return nil
	}
	encoding, err := report.ParseEncoding(o.format)
	if err != nil {
		return err
	}
	return r.Write(cmd.OutOrStdout(), encoding)
}

// measured is a result that can be shown.
type measured interface {
	Report() *report.Report
	Picture() ([]byte, error)
}

// show writes a report, and its charts into the file picture when one is named.
func (o *output) show(cmd *cobra.Command, m measured, picture string) error {
	if err := o.write(cmd, m.Report()); err != nil {
		return failure{err}
	}
	if err := writePicture(picture, m.Picture); err != nil {
		return failure{err}
	}
	return nil
}

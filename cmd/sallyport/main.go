// Sallyport is the sidecar and the operator's commands around it.
//
// It wires: configuration to engine, engine to gRPC server, signals to shutdown.
// It decides nothing about exchanges.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/early"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// Exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitDenied = 3 // scan, check: the message is refused
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stderr)) }

// run executes a command line, says on stderr what went wrong and returns the exit
// code.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	out := &output{to: os.Stdout}
	root := rootCommand(out)
	root.SetArgs(args)
	if serves(root, args) {
		// A reader that has stopped must not keep a sidecar that has stopped. Whoever reads
		// the others can take their time: a pager.
		last := telemetry.NewLogWriter(stderr)
		defer last.Shutdown() //nolint:errcheck // what nobody reads is left behind
		stderr = last
	} else {
		early.Release()
	}
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil {
		err = failed(out.err)
	}
	if err == nil {
		return exitOK
	}
	var coded *exitError
	if errors.As(err, &coded) {
		if coded.err != nil {
			fmt.Fprintln(stderr, "sallyport:", strings.TrimPrefix(coded.err.Error(), "sallyport: "))
		}
		return coded.code
	}
	// What is not one of ours is cobra's: an unknown command, flag or argument.
	fmt.Fprintf(stderr, "sallyport: %v\nUsage: %s\nRun '%s --help' for more.\n", err, usageLine(cmd), cmd.CommandPath())
	return exitUsage
}

// output is standard output. What could not be written was not said, and the command
// has then failed, whoever looked at the error in between.
type output struct {
	to  io.Writer
	err error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// serves is whether args ask for the command that answers signals itself.
func serves(root *cobra.Command, args []string) bool {
	cmd, _, err := root.Find(args)
	return err == nil && (cmd == root || cmd.Name() == "serve")
}

// exitError is an error with the exit code it asks for; err may be nil when
// everything was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// failed makes err exit with 1.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitFailed, err: err}
}

// usageLine is how cmd is called.
func usageLine(cmd *cobra.Command) string {
	if !cmd.HasAvailableSubCommands() {
		return cmd.UseLine()
	}
	return cmd.CommandPath() + " COMMAND"
}

// group makes a command that only has subcommands fail without one, and on one it
// does not know: a typing error in a pipeline must not pass.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
		}
		var names []string
		for _, sub := range cmd.Commands() {
			names = append(names, sub.Name())
		}
		return fmt.Errorf("%q needs a command: %s", cmd.CommandPath(), strings.Join(names, ", "))
	}
	return cmd
}

func rootCommand(out io.Writer) *cobra.Command {
	serve := serveCommand()
	root := &cobra.Command{
		Use:           "sallyport",
		Short:         "A guardrail for Model Context Protocol traffic",
		Long:          "A guardrail for Model Context Protocol traffic.\n\nWithout a command it serves.",
		Version:       build.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          serve.RunE,
	}
	root.SetOut(out) // before the commands of cobra's own take note of it
	root.Flags().AddFlagSet(serve.Flags())
	root.AddCommand(serve, scanCommand(), checkCommand(), rulesCommand(), modelCommand(), pinsCommand(), gatewayCommand(), auditCommand(), configCommand(), healthCommand(), versionCommand())
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd() // cobra would add it later, as a command that takes any typing error for a wish for help
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		group(completion)
	}
	return root
}

// helpCommand is cobra's, but for what it does on a command that it does not know:
// that is a typing error here as everywhere.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]",
		Short:                 "Help about any command",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown command %q for %q", strings.Join(args, " "), root.Name())
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

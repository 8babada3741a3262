package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/rules"
)

func rulesCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "rules", Short: "Check, try and explain rule packs"})
	cmd.AddCommand(rulesDefault(), rulesLint(), rulesTest(), rulesExplain(), rulesSchema())
	return cmd
}

// packArg is the pack that a command is about; none is the embedded default. An
// empty one is not: it is a variable that somebody forgot to set.
func packArg(args []string) (string, error) {
	switch {
	case len(args) == 0:
		return "", nil
	case args[0] == "":
		return "", &exitError{code: exitUsage, err: errors.New("rules: the path of the pack is empty; leave it out for the embedded one")}
	}
	return args[0], nil
}

func rulesDefault() *cobra.Command {
	return &cobra.Command{
		Use:   "default DIR",
		Short: "Write the embedded default pack into a new directory, to change it there",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := rules.DefaultFiles()
			if err != nil {
				return failed(err)
			}
			// Neither overwrites a file nor mixes with another pack.
			if err := os.Mkdir(args[0], 0o750); err != nil {
				return failed(fmt.Errorf("rules default: %w", err))
			}
			if err := os.CopyFS(args[0], files); err != nil {
				return failed(fmt.Errorf("rules default: %w", err))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written to %s; point INVARIANT_RULES_PATH at it\n", args[0])
			return nil
		},
	}
}

func rulesLint() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [PACK]",
		Short: "List everything that is wrong with a pack, as file:line:column; exit 1 when it would not load",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := packArg(args)
			if err != nil {
				return err
			}
			problems, err := sallyport.LintPack(path)
			if err != nil {
				return failed(err)
			}
			fatal := false
			for _, p := range problems {
				fmt.Fprintln(cmd.OutOrStdout(), p)
				fatal = fatal || p.Fatal()
			}
			if fatal {
				return &exitError{code: exitFailed}
			}
			fmt.Fprintln(cmd.OutOrStdout(), count(len(problems), "warning"))
			return nil
		},
	}
}

// compile loads and compiles a pack.
func compile(path string) (*rules.Set, error) {
	pack, err := rules.Load(path)
	if err != nil {
		return nil, err
	}
	return pack.Compile(sallyport.RuleOptions()...)
}

func rulesTest() *cobra.Command {
	return &cobra.Command{
		Use:   "test [PACK]",
		Short: "Run the tests that a pack carries; exit 1 on failures",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := packArg(args)
			if err != nil {
				return err
			}
			set, err := compile(path)
			if err != nil {
				return failed(err)
			}
			report := set.Test()
			for _, f := range report.Failed {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			if report.Err != nil {
				return failed(report.Err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d passed, %d failed\n", report.Passed, len(report.Failed))
			if !report.OK() {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
}

func rulesExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain PACK TRACE.jsonl",
		Short: "Replay calls and say step by step what each rule holds and why it fires",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := packArg(args)
			if err != nil {
				return err
			}
			set, err := compile(path)
			if err != nil {
				return failed(err)
			}
			var in io.Reader = cmd.InOrStdin()
			if args[1] != standardInput {
				file, err := os.Open(args[1])
				if err != nil {
					return failed(fmt.Errorf("explain: %w", err))
				}
				defer file.Close() //nolint:errcheck // it was only read
				in = file
			}
			if err := set.Explain(cmd.OutOrStdout(), in); err != nil {
				return failed(fmt.Errorf("%s: %w", inputName(args[1:]), err))
			}
			return nil
		},
	}
}

func rulesSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of rule packs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(rules.Schema())
			return failed(err)
		},
	}
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/internal/gateway"
	"github.com/sallyport-mcp/sallyport/internal/plainfile"
)

func gatewayCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "gateway", Short: "Look at the gateway's side"})
	cmd.AddCommand(&cobra.Command{
		Use:   "lint CONFIG.yaml",
		Short: "Say what in an agentgateway configuration bypasses or blinds the guardrail",
		Long: "Lint reads an agentgateway configuration and says, as file:line:column, what in it\n" +
			"bypasses the guardrail, blinds it, or turns a fault into a pass. Exit code 1 means\n" +
			"that something was unsafe; notes alone exit 0.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := plainfile.ReadOrWait(args[0])
			if err != nil {
				return failed(fmt.Errorf("lint gateway configuration: %w", err))
			}
			found, err := gateway.Lint(args[0], data)
			if err != nil {
				return failed(err)
			}
			unsafe := 0
			for _, f := range found {
				fmt.Fprintln(cmd.OutOrStdout(), f)
				if f.Unsafe {
					unsafe++
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s, %d of them unsafe\n", count(len(found), "finding"), unsafe)
			if unsafe > 0 {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	})
	return cmd
}

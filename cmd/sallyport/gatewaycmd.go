package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/internal/gateway"
)

func gatewayCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "gateway", Short: "Look at the gateway's side"})
	cmd.AddCommand(&cobra.Command{
		Use:   "lint CONFIG.yaml",
		Short: "Say what in an agentgateway configuration bypasses, blinds or opens the guardrail; exit 1 when something can turn a denial into a pass",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return failed(err)
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
			fmt.Fprintf(cmd.OutOrStdout(), "%d findings, %d of them unsafe\n", len(found), unsafe)
			if unsafe > 0 {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	})
	return cmd
}

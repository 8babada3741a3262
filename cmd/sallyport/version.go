package main

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/internal/build"
)

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info := build.Current()
			if !asJSON {
				fmt.Fprintln(cmd.OutOrStdout(), info)
				return nil
			}
			return failed(writeJSON(cmd.OutOrStdout(), info))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// writeJSON prints v for a person and a program: indented, one object.
func writeJSON(out io.Writer, v any) error {
	if err := json.MarshalWrite(out, v, jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

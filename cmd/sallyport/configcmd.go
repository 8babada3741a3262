package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/internal/config"
)

func configCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "config", Short: "Print, check or describe the configuration"})
	print := &cobra.Command{
		Use:   "print",
		Short: "Print the settings in force and where each came from; secrets are hidden",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(config.Sources{Flags: cmd.Flags()})
			if err != nil {
				return failed(err)
			}
			if err := s.Print(cmd.OutOrStdout()); err != nil {
				return failed(err)
			}
			// What MODEL and MODEL_GATE come to depends on the embedded model, too.
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "# classifier: %s\n", inBinary.models(s).words)
			return failed(err)
		},
	}
	validate := &cobra.Command{
		Use:   "validate",
		Short: "Check the configuration and the files it names and list everything that is wrong",
		Long: `Check the configuration and list everything that is wrong with it. Where it is right
by itself, the files and folders that it names are tried as serve would: rule pack,
model, certificates, keys, pins, the folders of the trail and of a socket, and the
variables of tracing. Nothing is written, bound or served.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(config.Sources{Flags: cmd.Flags()})
			if err != nil {
				return failed(err)
			}
			if err := namedFiles(s); err != nil {
				return failed(err)
			}
			from := "no file was read"
			if s.Config != "" {
				from = visible(s.Config)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "the configuration is valid (%s)\n", from)
			return nil
		},
	}
	schema := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration file",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Schema())
			return failed(err)
		},
	}
	config.Flags(print.Flags())
	config.Flags(validate.Flags())
	cmd.AddCommand(print, validate, schema)
	return cmd
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport"
)

func pinsCommand() *cobra.Command {
	var path string
	cmd := group(&cobra.Command{
		Use:   "pins",
		Short: "List, compare and approve pinned tool definitions",
		Long: `A pin is the definition that a tool is held to: the first one seen, or one that a
person approved. The file is that of PINS_FILE; a running sidecar takes approvals
when it gets SIGHUP.`,
	})
	cmd.PersistentFlags().StringVar(&path, "file", os.Getenv("PINS_FILE"), "the pins file")
	cmd.AddCommand(pinsList(&path), pinsDiff(&path), pinsApprove(&path))
	return cmd
}

// loadPins reads the pins file; for a person it must be there.
func loadPins(path string) ([]sallyport.Pin, error) {
	if path == "" {
		return nil, &exitError{code: exitUsage, err: errors.New("pins: give --file or PINS_FILE")}
	}
	if _, err := os.Stat(path); err != nil {
		return nil, failed(fmt.Errorf("pins: %w", err))
	}
	pins, err := sallyport.PinFile(path).Load()
	return pins, failed(err)
}

func pinsList(path *string) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every pin",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pins, err := loadPins(*path)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "SERVICE\tTOOL\tDEFINITION\tSINCE\tSTATE")
			for _, p := range pins {
				fmt.Fprintf(w, "%s\t%s\t%x\t%s\t%s\n", visible(p.Service), visible(p.Tool), p.Hash[:6], p.FirstSeen.UTC().Format(time.DateTime), pinState(p))
			}
			return failed(w.Flush())
		},
	}
}

func pinState(p sallyport.Pin) string {
	switch {
	case p.Seen != nil:
		return "changed"
	case p.Approved:
		return "approved"
	}
	return "first seen"
}

func pinsDiff(path *string) *cobra.Command {
	return &cobra.Command{
		Use:   "diff",
		Short: "List the tools whose definition changed since it was pinned; exit 1 when there are any",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pins, err := loadPins(*path)
			if err != nil {
				return err
			}
			if n := writeDrift(cmd.OutOrStdout(), pins); n > 0 {
				return &exitError{code: exitFailed}
			}
			fmt.Fprintln(cmd.OutOrStdout(), "no definition has changed")
			return nil
		},
	}
}

func writeDrift(out io.Writer, pins []sallyport.Pin) (changed int) {
	for _, p := range pins {
		if p.Seen == nil {
			continue
		}
		changed++
		fmt.Fprintf(out, "%s/%s: %s changed on %s (%x -> %x)\n", visible(p.Service), visible(p.Tool),
			strings.Join(sallyport.ChangedMembers(p), ", "), p.Seen.At.UTC().Format(time.DateTime), p.Hash[:6], p.Seen.Hash[:6])
	}
	return changed
}

func pinsApprove(path *string) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "approve [SERVICE/TOOL...]",
		Short: "Accept the definitions as they are now",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return &exitError{code: exitUsage, err: errors.New("pins approve: name tools as SERVICE/TOOL, or give --all")}
			}
			pins, err := loadPins(*path)
			if err != nil {
				return err
			}
			n, stood, err := approve(pins, args)
			if err != nil {
				return failed(err)
			}
			if n == 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "nothing to approve: %d approved already and unchanged\n", stood)
				return nil
			}
			if err := sallyport.PinFile(*path).Save(pins); err != nil {
				return failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d approved, %d approved already; send SIGHUP to a running sidecar\n", n, stood)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "approve every tool")
	return cmd
}

// approve accepts the latest definition of the named tools, or of all when none is
// named, and counts those that it changed and those that stood approved as they are.
// A name that is not pinned is an error, and then nothing is approved.
func approve(pins []sallyport.Pin, names []string) (n, stood int, err error) {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	for i := range pins {
		p := &pins[i]
		name := p.Service + "/" + p.Tool
		if len(names) > 0 && !wanted[name] {
			continue
		}
		delete(wanted, name)
		if p.Approved && p.Seen == nil {
			stood++
			continue
		}
		n++
		p.Approved = true
		if p.Seen != nil {
			p.Hash, p.Fields, p.FirstSeen, p.Seen = p.Seen.Hash, p.Seen.Fields, p.Seen.At, nil
		}
	}
	for name := range wanted {
		err = errors.Join(err, fmt.Errorf("pins approve: %q is not pinned", name))
	}
	return n, stood, err
}

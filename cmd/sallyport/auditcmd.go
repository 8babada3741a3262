package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

func auditCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "audit", Short: "Verify and summarise audit trails"})
	cmd.AddCommand(auditVerify(), auditStats())
	return cmd
}

func auditVerify() *cobra.Command {
	var anchor, key string
	var restarts bool
	cmd := &cobra.Command{
		Use:   "verify FILE...|-",
		Short: "Check that a trail is complete and unaltered; exit 1 and the line when it is not",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := audit.VerifyOptions{AllowRestart: restarts}
			if anchor != "" {
				a, err := audit.ParseAnchor(anchor)
				if err != nil {
					return &exitError{code: exitUsage, err: err}
				}
				o.Anchor = &a
			}
			if key != "" {
				k, err := verifyKey(key)
				if err != nil {
					return failed(err)
				}
				o.PublicKey = k
			}
			sources, err := trails(cmd, args)
			if err != nil {
				return err
			}
			r, err := audit.Verify(cmd.Context(), sources, o)
			if err != nil {
				return failed(err)
			}
			return printVerified(cmd, r)
		},
	}
	cmd.Flags().StringVar(&anchor, "anchor", "", "SEQ:HASH of a line that must be there, which proves that the tail was not cut")
	cmd.Flags().StringVar(&key, "key", "", "PEM file of the public key that must have signed the checkpoints")
	cmd.Flags().BoolVar(&restarts, "allow-restart", false, "accept that a new chain begins in the middle, as in captured standard output")
	return cmd
}

// standardInput is the name for it among files.
const standardInput = "-"

// trails are what the arguments name: files in the order of their chain, or - alone.
func trails(cmd *cobra.Command, args []string) ([]audit.Source, error) {
	if slices.Contains(args, standardInput) {
		if len(args) > 1 {
			return nil, &exitError{code: exitUsage, err: errors.New("audit: standard input cannot be put in order with files")}
		}
		return []audit.Source{audit.Reader("standard input", cmd.InOrStdin())}, nil
	}
	sources, err := audit.Files(args...)
	return sources, failed(err)
}

func verifyKey(path string) (ed25519.PublicKey, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := audit.ParseVerifyKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func printVerified(cmd *cobra.Command, r *audit.VerifyReport) error {
	out := cmd.OutOrStdout()
	for _, p := range r.Problems {
		fmt.Fprintf(out, "%s: %s: %s\n", p.Position, p.Kind, p.Detail)
	}
	for _, g := range r.Gaps {
		fmt.Fprintf(out, "%s: gap: %s lost (%s)\n", g.Position, count(g.Count, "line"), g.Reason)
	}
	if r.TornTail {
		fmt.Fprintln(out, "the last line is unfinished: its writer died in it, or is writing it now")
	}
	if r.More > 0 {
		fmt.Fprintf(out, "and %s more\n", count(r.More, "problem"))
	}
	if r.First > 1 {
		// After a rotation that is how it is; else somebody took the beginning away.
		fmt.Fprintf(out, "it begins with line %d: what was before that is in none of the files\n", r.First)
	}
	if !r.OK() {
		return &exitError{code: exitFailed, err: fmt.Errorf("the trail does not verify: %s", count(int64(len(r.Problems))+r.More, "problem"))}
	}
	if r.Lines == 0 {
		// An empty file is what is left when somebody takes everything away.
		return &exitError{code: exitFailed, err: errors.New("the trail does not verify: there is no line in it")}
	}
	fmt.Fprintf(out, "the trail verifies: %s in %s, %s (%d with a checked signature), %s after the last one, %s or rotations\nhead %s\n",
		count(r.Lines, "line"), count(r.Files, "file"), count(r.Checkpoints, "checkpoint"), r.Signed, count(r.Uncovered, "line"), count(r.Resumes, "restart"), r.Head)
	return nil
}

func auditStats() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "stats FILE...|-",
		Short: "Summarise outcomes, detectors, rules, pairs and latency",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			encoding, err := report.ParseEncoding(format)
			if err != nil {
				return &exitError{code: exitUsage, err: err}
			}
			sources, err := trails(cmd, args)
			if err != nil {
				return err
			}
			s, err := audit.Summarise(cmd.Context(), sources)
			if err != nil {
				return failed(err)
			}
			if err := statsReport(s).Write(cmd.OutOrStdout(), encoding); err != nil {
				return failed(err)
			}
			if s.Lines == 0 && s.Unreadable > 0 {
				return failed(fmt.Errorf("audit stats: none of %s is one of an audit trail", count(s.Unreadable, "line")))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or html")
	return cmd
}

//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"os"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// lines are the complete lines of the audit file.
func (s *sidecar) lines() []audit.Line {
	s.t.Helper()
	data, err := os.ReadFile(s.trail)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(s.t, err)
	end := bytes.LastIndexByte(data, '\n') + 1
	var out []audit.Line
	for line := range bytes.Lines(data[:end]) {
		l, err := audit.ParseLine(bytes.TrimSuffix(line, []byte("\n")))
		require.NoError(s.t, err, "%s", line)
		out = append(out, l)
	}
	return out
}

// awaitLine waits for a line of the audit file that matches.
func (s *sidecar) awaitLine(what string, match func(audit.Line) bool) audit.Line {
	s.t.Helper()
	var found audit.Line
	eventually(s.t, func() bool {
		for _, l := range s.lines() {
			if match(l) {
				found = l
				return true
			}
		}
		return false
	}, "no audit line: %s", what)
	return found
}

// lineOf waits for the one line of an exchange.
func (s *sidecar) lineOf(ref string) audit.Line {
	s.t.Helper()
	require.NotEmpty(s.t, ref)
	l := s.awaitLine("ref "+ref, func(l audit.Line) bool { return l.Ref == ref })
	n := 0
	for _, other := range s.lines() {
		if other.Ref == ref {
			n++
		}
	}
	require.Equal(s.t, 1, n, "lines of one exchange and phase")
	return l
}

// events counts the lines of one event.
func (s *sidecar) events(name string, match func(audit.Line) bool) int {
	n := 0
	for _, l := range s.lines() {
		if l.Event == name && (match == nil || match(l)) {
			n++
		}
	}
	return n
}

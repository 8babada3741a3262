package config

import (
	"fmt"
	"strings"
)

// Problem is one thing wrong with the configuration.
type Problem struct {
	// Where is the source: file:line:column, an environment variable, a flag, or
	// "" for a contradiction between settings.
	Where string
	// Setting is the environment name of the setting, "" when none is concerned.
	Setting string
	// Text says what is wrong.
	Text string
}

// String writes the problem as "where: SETTING: text".
func (p Problem) String() string {
	var parts []string
	for _, s := range []string{p.Where, p.Setting, p.Text} {
		if s != "" && (len(parts) == 0 || parts[len(parts)-1] != s) {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// Problems is every problem of a configuration, in the order of the sources.
type Problems []Problem

// Error lists all problems, one on a line.
func (p Problems) Error() string {
	if len(p) == 1 {
		return "configuration: " + p[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "configuration: %d problems", len(p))
	for _, x := range p {
		b.WriteString("\n  " + x.String())
	}
	return b.String()
}

func (p *Problems) add(where, setting, format string, args ...any) {
	*p = append(*p, Problem{Where: where, Setting: setting, Text: fmt.Sprintf(format, args...)})
}

// err returns nil for an empty list.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

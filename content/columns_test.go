package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCellsWithMarks reads a cell of a Markdown table to its end, whatever marks its cells have behind a backslash.
func TestCellsWithMarks(t *testing.T) {
	for text, want := range map[string]string{
		"| user | password |\n|---|---|\n| anna | Kx7\\|mn!4fGq2 |":                "| user | password |\n|---|---|\n| anna | [REDACTED:CREDENTIAL] |",
		"| user | password | note |\n|---|---|---|\n| a\\|b | Tr0ub4d%r | c\\|d |": "| user | password | note |\n|---|---|---|\n| a\\|b | [REDACTED:CREDENTIAL] | c\\|d |",
		"user|password\nanna|Tr0ub4d%r\\":                                          "user|password\nanna|[REDACTED:CREDENTIAL]",
		"user;password\nan\\;na;Tr0ub4d%r":                                         "user;password\nan\\;na;Tr0ub4d%r",
	} {
		t.Run(text, func(t *testing.T) { require.Equal(t, result(want), maskedResult(t, text)) })
	}
}

package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"/arguments/über 日本":     "/arguments/über 日本",
		"\x1b[2J":                `\u001b[2J`,
		"a\nb\t":                 `a\u000ab\u0009`,
		"\u009b31m":              `\u009b31m`,
		"\u202eevil\u200b":       `\u202eevil\u200b`,
		"\U000e0041":             `\udb40\udc41`,
		"\xff":                   `\ufffd`,
		`already \u001b escaped`: `already \u001b escaped`,
	} {
		require.Equal(t, want, visible(in), "%q", in)
	}
	require.Equal(t, "a\n\\u0009b", visible("a\n\tb", '\n'))

	// What is shown of a JSON text is the same JSON text.
	var before, after map[string]string
	body := "{\n\"a\u009b\":\"\u202e\U000e0041 ü\"}"
	require.NoError(t, json.Unmarshal([]byte(body), &before))
	require.NoError(t, json.Unmarshal([]byte(visible(body, '\n')), &after))
	require.Equal(t, before, after)
}

func TestCount(t *testing.T) {
	require.Equal(t, []string{"0 lines", "1 line", "2 lines"}, []string{count(0, "line"), count(1, "line"), count(int64(2), "line")})
}

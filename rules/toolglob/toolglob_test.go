package toolglob

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	for _, good := range []string{"*", "?", "read_*", "git/delete_?", "ns:tool", "it's", "a,b", "naïve", strings.Repeat("x", MaxBytes)} {
		require.NoError(t, Check(good), good)
	}
	for bad, why := range map[string]string{
		"":                              "empty",
		strings.Repeat("x", MaxBytes+1): "over 256 bytes",
		"get_[ab]":                      "knows * and ? alone",
		"[":                             "knows * and ? alone",
		"a}":                            "knows * and ? alone",
		`CORP\*`:                        "knows * and ? alone",
		`"shell"`:                       "quotation mark",
		"'shell'":                       "quotation mark",
		"a;b":                           "separator",
		"a|b":                           "separator",
		"!shell":                        "turned round",
		"she\u200bll":                   "cannot be seen",
		"shell\n":                       "cannot be seen",
		"sh\xffll":                      "cannot be seen",
	} {
		require.ErrorContains(t, Check(bad), why, bad)
	}
}

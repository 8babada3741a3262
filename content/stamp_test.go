package content

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStamped(t *testing.T) {
	d, _ := scanBody(t, "tools/call", SideResponse, result("text"))
	sc := newScan(context.Background(), Builtin(), d, SideResponse)
	for text, want := range map[string]bool{
		"2026-11-29":                           true,
		"2026-11-29T20:25:30Z":                 true,
		"2026-11-29 20:25:30":                  true,
		"2026-11-29T20:25:30.123456789+01:00":  true,
		"2026-11-29T20:25:30-08:00":            true,
		"4b1e0c77-9d2a-4f10-8046-1297901aa002": true,
		"12345678-1234-4234-8234-123456789012": true,
		"2026-11-2":                            false,
		"2026-11-29T20:25":                     false,
		"2026-11-29Z0:25:30":                   false,
		"2026-11-29T20:25:30.":                 false,
		"2026-11-29T20:25:30.1234567890":       false,
		"2026-11-29T20:25:30.4111111111111111": false,
		"2026-11-29T20:25:30 Z":                false,
		"2026-11-29T20:25:30Z ":                false,
		"2026-11-29T20:25:30+0100":             false,
		"2026-11-29T20:25:30x01:00":            false,
		"4b1e0c77-9d2a-4f10-8046-1297901aa00":  false,
		"4b1e0c77-9d2a-4f10-80461-297901aa002": false,
		"4b1e0c77-9d2a-4f10-8046-1297901aa00g": false,
		"BA393385-8048-0021-1234-1297901AA002": false, // may be an account number
		"4b1e0cc3-9d2a-4fa3-4046-1297901aa002": false, // has what a key of 1Password begins with
		"dda2d1dd-ed0d-4ae8-ae7f-948a21a9d44e": false, // may begin a text in base64
	} {
		require.Equal(t, want, sc.stamped(text), text)
	}
	sc.s = &Scanner{index: sc.s.index, ungated: true}
	require.False(t, sc.stamped("2026-11-29"))
}

// TestNothingIsFoundInAStampedText reads such texts as any others, most of them of few different characters.
func TestNothingIsFoundInAStampedText(t *testing.T) {
	d, _ := scanBody(t, "tools/call", SideResponse, result("text"))
	stamped := 0
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.SampledFrom([]string{"0123456789", "01", "15", "0123456789abcdef", "0123456789a", "abcdef", "cdefabcdef0123", "456ab", "89abcdef"}).Draw(t, "digits")
		draw := func(sizes ...int) string {
			parts := make([]string, len(sizes))
			for i, n := range sizes {
				parts[i] = rapid.StringOfN(rapid.SampledFrom([]rune(digits)), n, n, n).Draw(t, "part")
			}
			return strings.Join(parts, "-")
		}
		text := draw(8, 4, 4, 4, 12)
		if rapid.Bool().Draw(t, "time") {
			n := func(most int) int { return rapid.IntRange(0, most).Draw(t, "number") }
			text = fmt.Sprintf("%04d-%02d-%02d", n(9999), n(99), n(99)) + rapid.SampledFrom([]string{"", "T", " "}).Draw(t, "between")
			if len(text) > len("0000-00-00") {
				fraction := rapid.StringMatching(`|\.[0-9]{1,9}|\.[0135789]{4,9}`).Draw(t, "fraction")
				text += fmt.Sprintf("%02d:%02d:%02d", n(99), n(99), n(99)) + fraction + rapid.SampledFrom([]string{"", "Z", "+01:00", "-11:30"}).Draw(t, "zone")
			}
		}
		sc := newScan(context.Background(), Builtin(), d, SideResponse)
		if !sc.stamped(text) {
			return
		}
		stamped++
		v := sc.first(text)
		sc.read(v)
		require.Empty(t, sc.hits, text)
		require.Empty(t, sc.rep.Findings, text)
		require.Len(t, sc.queue, 1, text)
		require.Zero(t, sc.cut, text)
	})
	require.Positive(t, stamped)
}

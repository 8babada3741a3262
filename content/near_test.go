package content

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// nearTexts draws texts that are full of the words of sets, whole, cut and overlapping.
var nearTexts = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"send ", "SEND ", "sen", "ende", "token", "tokens ", "key", "x", " ", "ö", strings.Repeat("lorem ipsum ", 60)}), 0, 60).Draw(t, "parts")
	return strings.Join(parts, "")
})

// TestPlacedSeesWhatTheWindowHolds compares what is remembered with a search of each window.
func TestPlacedSeesWhatTheWindowHolds(t *testing.T) {
	sets := [][]string{{"send ", "end", "token"}, {"tokens", "key"}, {"nowhere"}}
	words := newWordSets(sets)
	rapid.Check(t, func(t *rapid.T) {
		text := nearTexts.Draw(t, "text")
		lower := strings.ToLower(text)
		var p placed
		for at := 0; at <= len(text); at += rapid.IntRange(1, 700).Draw(t, "step") {
			set := rapid.IntRange(0, len(sets)-1).Draw(t, "set")
			lo, hi := at-rapid.IntRange(0, 400).Draw(t, "before"), at+rapid.IntRange(0, 400).Draw(t, "after")
			window := lower[max(0, lo):min(len(text), hi)]
			want := slices.ContainsFunc(sets[set], func(w string) bool { return strings.Contains(window, w) })
			require.Equal(t, want, p.within(words, set, text, lo, hi), "set %d in %q", set, window)
		}
	})
}

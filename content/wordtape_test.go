package content

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tapeTexts draws texts that are full of the words of all families, whole and cut, with letters that change in lower case.
var tapeTexts = rapid.Custom(func(t *rapid.T) string {
	words := rapid.Custom(func(t *rapid.T) string {
		w := tapeWords[rapid.IntRange(0, len(tapeWords)-1).Draw(t, "word")]
		for family, own := range w.own {
			if own >= 0 {
				return [...]*keywordIndex{overrideNear, poisonWords.index, hiddenWords.index}[family].inOrder()[tapeRanks[family][own]].text
			}
		}
		return ""
	})
	part := rapid.OneOf(words, words, rapid.SampledFrom([]string{" ", "İ", "ИГНО", "x", "api keys", "assistant: ", "tout ce qu'on", strings.Repeat("lorem ipsum ", 90)}))
	return strings.ToValidUTF8(strings.Join(rapid.SliceOfN(part, 0, 80).Draw(t, "parts"), ""), "")
})

// TestTapeReadsWhatEachFamilyReads compares what the families find with what they share and by themselves, in windows that rise
// and now and then fall back.
func TestTapeReadsWhatEachFamilyReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := tapeTexts.Draw(t, "text")
		tape := wordTape{shared: true}
		near, ownNear := nearMemo{tape: &tape}, nearMemo{}
		hidden, ownHidden := wordMemo{tape: &tape}, wordMemo{}
		poison, ownPoison := placed{tape: &tape}, placed{}
		for at := 0; at <= len(text); at += rapid.IntRange(1, 900).Draw(t, "step") {
			lo := max(0, at-rapid.IntRange(0, 400).Draw(t, "before"))
			hi := min(len(text), at+rapid.IntRange(0, 400).Draw(t, "after"))
			switch rapid.IntRange(0, 2).Draw(t, "family") {
			case 0:
				require.Equal(t, slices.Clone(ownNear.within(text, lo, hi)), slices.Clone(near.within(text, lo, hi)))
			case 1:
				require.Equal(t, slices.Clone(ownHidden.within(hiddenWords, text, lo, hi)), slices.Clone(hidden.within(hiddenWords, text, lo, hi)))
			case 2:
				for set := covertMoves; set <= preconditionNotes; set++ {
					require.Equal(t, ownPoison.within(poisonWords, set, text, lo, hi), poison.within(poisonWords, set, text, lo, hi))
				}
			}
		}
	})
}

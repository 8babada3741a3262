package content

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFinderFindsWhatTheIndexFinds compares the looks at every few bytes with those at each.
func TestFinderFindsWhatTheIndexFinds(t *testing.T) {
	for _, words := range [][]string{{"\nai:", "token", "tokens "}, {"send it", "sendings"}, {"password=", "loremip", "key=key=key="}} {
		index, finder := mustIndex(words...), newFinder(words...)
		rapid.Check(t, func(t *rapid.T) {
			text := nearTexts.Draw(t, "text")
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			word := words[rapid.IntRange(0, len(words)-1).Draw(t, "word")]
			text = text[:at] + word[:rapid.IntRange(0, len(word)).Draw(t, "part")] + text[at:]
			require.Equal(t, index.first(text), finder.first(text), "%q", text)
			require.Equal(t, index.any(text), finder.any(text))
		})
	}
}

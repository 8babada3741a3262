package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAheadAndBehind compares what is remembered of a text with a search from each place, a few of which lie before
// the last one.
func TestAheadAndBehind(t *testing.T) {
	word, set := mustIndex("send "), newCharset("sx")
	rapid.Check(t, func(t *rapid.T) {
		text := nearTexts.Draw(t, "text")
		var a ahead
		var b behind
		for at := 0; at <= len(text); at += rapid.IntRange(1, 90).Draw(t, "step") {
			from := max(0, at-rapid.IntRange(0, 80).Draw(t, "back"))
			require.Equal(t, from+word.first(text[from:]), a.next(word.first, text, from))
			require.Equal(t, strings.LastIndexAny(text[:from], "sx"), b.before(set, text, from))
		}
	})
}

package content

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPhrasesAreFoundAtWhatChangesLittleInALongText: a phrase that a view completes is found whichever word or gap of it the change
// is in.
func TestPhrasesAreFoundAtWhatChangesLittleInALongText(t *testing.T) {
	words := strings.Fields("pipe hour maid engine arm modify reform grain tell rain tell frown")
	escaped := func(c byte) string { return fmt.Sprintf("&#%d;", c) }
	wide := func(c byte) string { return string(rune(c) + 0xfee0) }
	for k, w := range words {
		for _, changed := range []string{
			escaped(w[0]) + w[1:], w[:len(w)-1] + escaped(w[len(w)-1]), w[:1] + wide(w[1]) + w[2:], wide(w[0]) + w[1:], w[:2] + "\u2060" + w[2:],
			"&#8203;" + w, w + "\u2060", fmt.Sprintf("%%%02x%%%02x", w[0], w[1]) + w[2:],
		} {
			written := append([]string{}, words...)
			written[k] = changed
			phrase := strings.Join(written, " ")
			text := linesOf(60) + "wallet: " + phrase + "\n" + linesOf(60)
			f := paths(scanText(t, text), "seed-phrase")
			require.Len(t, f, 1, phrase)
		}
		if k > 0 {
			gap := strings.Join(words[:k], " ") + "&#32;" + strings.Join(words[k:], " ")
			require.Len(t, paths(scanText(t, linesOf(60)+gap+"\n"+linesOf(60)), "seed-phrase"), 1, gap)
		}
	}
	// All of it in one change.
	var wideBytes []byte
	for _, c := range []byte(strings.Join(words, " ")) {
		wideBytes = append(wideBytes, 0, c)
	}
	shifted := "+" + base64.RawStdEncoding.EncodeToString(wideBytes) + "-"
	require.Len(t, paths(scanText(t, linesOf(60)+shifted+"\n"+linesOf(60)), "seed-phrase"), 1)
}

// TestWordsOfPhrases finds every word of the list, whatever its case and whatever follows, and no part of a word.
func TestWordsOfPhrases(t *testing.T) {
	for number, w := range strings.Fields(seedWordList) {
		for _, text := range []string{w, strings.ToUpper(w), w + " ", w + "\n2. and more", w + "é"} {
			n, end := seedAt("1 "+text, 2)
			require.Equal(t, [2]int{number, 2 + len(w)}, [2]int{n, end}, text)
		}
		for _, text := range []string{w + "_", w + "1 and", w + "qqqqqqqq"} {
			n, _ := seedAt(text, 0)
			require.Equal(t, -1, n, text)
		}
		n, _ := seedAt("x"+w, 1)
		require.Equal(t, -1, n, w)
	}
}

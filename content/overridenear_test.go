package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWordsOfOverridesAreFoundWhereTheyStand says that small letters of another length move nothing.
func TestWordsOfOverridesAreFoundWhereTheyStand(t *testing.T) {
	for _, text := range []string{
		"ÖNCEKİ TALİMATLARI", strings.Repeat("İ", 300) + " önceki talimatları", "Предыдущие ИНСТРУКЦИИ " + strings.Repeat("x", 3000) + " предыдущие инструкции", "以前的指令",
	} {
		var m nearMemo
		var got []string
		for lo := 0; lo < len(text); lo += 64 {
			for _, w := range m.within(text, lo, min(len(text), lo+192)) {
				got = append(got, text[w.lo:w.hi])
				require.GreaterOrEqual(t, w.lo, lo, text)
			}
		}
		require.NotEmpty(t, got, text)
		for _, w := range got {
			_, found := overrideWordIDs[strings.ToLower(w)]
			require.True(t, found, "%q in %q", w, text)
		}
	}
}

// overrideWordIDs are the words that the index finds.
var overrideWordIDs = func() map[string]bool {
	m := map[string]bool{}
	for i := range overrideLanguages {
		l := &overrideLanguages[i]
		for _, words := range [][]string{l.past, l.all, l.thing, l.own, l.told} {
			for _, w := range words {
				m[w] = true
			}
		}
	}
	return m
}()

func TestWindowsOfWordsMayGoBack(t *testing.T) {
	text := strings.Repeat("предыдущие инструкции, ", 200)
	var m nearMemo
	for _, lo := range []int{0, 900, 400, 3000, 2900, 100, 0} {
		words := m.within(text, lo, lo+192)
		require.NotEmpty(t, words, lo)
		require.GreaterOrEqual(t, words[0].lo, lo)
		require.Less(t, words[len(words)-1].lo, lo+192)
	}
}

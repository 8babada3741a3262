package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordTableKnowsItsWordsAlone(t *testing.T) {
	table := newWordTable(overrideVocabulary)
	for w, kind := range overrideVocabulary {
		for _, spelled := range []string{w, strings.ToUpper(w), strings.ToUpper(w[:1]) + w[1:]} {
			got, known := table.meaning(spelled)
			require.True(t, known, spelled)
			require.Equal(t, kind, got, spelled)
		}
		for _, other := range []string{w + "q", "q" + w, w[:len(w)-1] + "\x00", w + "\x00"} {
			_, known := table.meaning(other)
			require.False(t, known, "%q", other)
		}
	}
	for _, w := range []string{"", "a word that is too long for it"} {
		_, known := table.meaning(w)
		require.False(t, known, w)
	}
	require.Panics(t, func() { newWordTable(map[string]bool{"seventeen letters": true}) })
}

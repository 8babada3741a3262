package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestKeywordsOfAViewThatChangedLittle compares the keywords that are known from the view before, and from around the changes, with
// those of a walk over all of the text.
func TestKeywordsOfAViewThatChangedLittle(t *testing.T) {
	x := builtinScanner.index
	heard := func(walk func(found func(w *keyword, at int) bool)) (all []foundAt) {
		walk(func(w *keyword, at int) bool {
			all = append(all, foundAt{w, at})
			return true
		})
		return all
	}
	pieces := []string{"ignore", "pwd", "pass", "word", "ig", "nore", "://", "ghp_", "eyJ", "é", "%41", "%49", "&amp;", "&lt;", "\\n", "\u200b", " plain words ", strings.Repeat("lorem ipsum ", 12), "i%67nore", "passwor%64", "p\u200bwd", "ｐwd"}
	completed, reused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 60).Draw(t, "pieces"), "")
		up := &view{text: src, label: ViewRaw, heard: true}
		up.keywords = heard(func(found func(*keyword, int) bool) { x.walk(src, found) })
		step := rapid.SampledFrom([]stepFunc{escapeStep, foldUnit}).Draw(t, "step")
		var room trailRoom
		room.reach = rapid.SampledFrom([]int{0, 100}).Draw(t, "reach")
		if !room.rewrite(src, step) {
			return
		}
		v := &view{text: string(room.text), up: up, trail: room.ofSteps(src)}
		want := heard(func(found func(*keyword, int) bool) { x.walk(v.text, found) })
		require.Equal(t, want, heard(func(found func(*keyword, int) bool) { x.walkChanges(v, found) }), "%q", v.text)
		completed, reused = completed+boolInt(len(want) > len(up.keywords)), reused+boolInt(len(want) > 0 && v.changedLittle())
	})
	require.Positive(t, completed)
	require.Positive(t, reused)
}

// TestKeywordsOfAFoldedText compares those that are told from where one may begin in the text that was folded with those of a walk.
func TestKeywordsOfAFoldedText(t *testing.T) {
	x := builtinScanner.index
	pieces := []string{"ignore", "pwd", "pass", "word", "ig", "nore", "://", "ghp_", "eyJ", "é", "ignoré", " plain words ", "lorem ipsum ", "p\u200bwd", "ｐwd", "ﬁ", "\u0301", "Я", "my passwörd is the secret of previous instructiöns"}
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(t, "pieces"), "")
		up := &view{text: src, label: ViewRaw}
		var places []uint32
		x.walkNoting(src, len(src), &places, func(*keyword, int) bool { return true })
		var room trailRoom
		room.fold(src)
		v := &view{text: string(room.text), label: ViewNormalised, up: up, trail: room.ofFold(src)}
		var want, got []foundAt
		x.walk(v.text, func(w *keyword, at int) bool { want = append(want, foundAt{w, at}); return true })
		x.walkFolded(v, places, func(w *keyword, at int) bool { got = append(got, foundAt{w, at}); return true })
		require.Equal(t, want, got, "%q", v.text)
		told += len(v.trail.same) * len(want)
	})
	require.Positive(t, told)
}

// TestWordsAreFoundOverWhatChangesLittleInALongText: a word that a change completes is heard among those that are known.
func TestWordsAreFoundOverWhatChangesLittleInALongText(t *testing.T) {
	token := "hp_0123456789abcdefABCDEF0123456789abcd"
	for _, begun := range []string{"%67", "&#103;", "ｇ"} {
		text := linesOf(40) + "// caf\u00e9 &amp; bar\n" + linesOf(40) + "x = " + begun + token + "\n" + linesOf(40)
		f := scanText(t, text).Findings
		require.Len(t, f, 1, begun)
		require.Equal(t, "github-token", f[0].Detector)
		require.Equal(t, begun+token, text[f[0].Start:f[0].End])
	}
}

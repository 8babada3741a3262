package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestRuneSetsTellWhatTheirTablesDo asks the sets about every character, as it is written in a text.
func TestRuneSetsTellWhatTheirTablesDo(t *testing.T) {
	has := func(set *runeSet, s string) bool {
		if len(s) == 2 {
			return set.has2(s)
		}
		return set.has3(s)
	}
	for r := rune(0x80); r < 0x10000; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		s := string(r)
		v, n := foldAt(s, 0)
		require.Len(t, s, n)
		require.Equal(t, v != 0, has(foldable, s), "%x", r)
		require.Equal(t, material(s), has(materialRunes, s) && v != foldByte|'-', "%x", r)
		end, _ := plainEnd(s, 0, false)
		require.Equal(t, end == 0, has(unseen, s), "%x", r)
	}
	for r := rune(0x10000); r <= 0x10ffff; r++ {
		s := string(r)
		end, _ := plainEnd(s, 0, false)
		require.Equal(t, end > 0, invisibleOf(r) == visible)
	}
}

// TestFoldingIsThatOfEachCharacter: a text is folded as its characters are, one by one.
func TestFoldingIsThatOfEachCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab ÀßĲıАвт中ﬁ㍿Ａ—\u0301\u200b\ufdfa𝐀🇦\U000e0041"))).Draw(t, "text")
		var want strings.Builder
		for i := 0; i < len(text); {
			n, to := foldUnit(text, i)
			want.WriteString(to)
			i += n
		}
		var r trailRoom
		r.fold(text)
		require.Equal(t, want.String(), string(r.text))
	})
}

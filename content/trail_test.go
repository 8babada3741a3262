package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// unitsOf returns the units that a text is read in, by one step after the other.
func unitsOf(src string, step stepFunc) (units []group, became []string) {
	for i := 0; i < len(src); {
		n, to := step(src, i)
		units, became = append(units, group{i, i + n}), append(became, to)
		i += n
	}
	return units, became
}

// foldStep folds one character, which is what fold does with all of them.
func foldStep(src string, i int) (int, string) {
	for n := 1; ; n++ {
		if i+n == len(src) || src[i+n]&0xc0 != 0x80 {
			var r trailRoom
			r.fold(src[i : i+n])
			return n, string(r.text)
		}
	}
}

// TestTrailsLeadBack compares the origin of spans, mostly in rising order, with what the steps say byte by byte.
func TestTrailsLeadBack(t *testing.T) {
	var ends commentEnds
	steps := map[string]stepFunc{
		"escapes": escapeStep, "quoted": quotedStep, "folded": foldStep, "utf-7": utf7Step, "collapsed": collapseStep,
		"unmarked": func(src string, i int) (int, string) { return unmarkStep(src, i, &ends) },
	}
	pieces := []string{"a", "plain words ", "é", "\u200b", "\u0301", "ﬁ", "中", "%41", "%C3%A9", "&lt;", "\\n", "=49=67", "=\n", "<b>", "<!-- x -->", "**", "+AEkAZw-", " i g n o r e ", strings.Repeat("lorem ipsum ", 30), "<i " + strings.Repeat("x", 200) + ">"}
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 80).Draw(t, "pieces"), "")
		name := rapid.SampledFrom([]string{"escapes", "quoted", "folded", "utf-7", "collapsed", "unmarked"}).Draw(t, "step")
		ends = commentEnds{}
		units, became := unitsOf(src, steps[name])
		var room trailRoom
		var back *trail
		if name == "folded" {
			room.fold(src)
			back = room.ofFold(src)
		} else {
			ends = commentEnds{}
			if !room.rewrite(src, steps[name]) {
				return
			}
			back = room.ofSteps(src)
		}
		text := string(room.text)
		require.Equal(t, strings.Join(became, ""), text)
		var lo, hi []int // of each byte of the text, in src
		for k, to := range became {
			for j := range len(to) {
				if to == src[units[k].start:units[k].end] {
					lo, hi = append(lo, units[k].start+j), append(hi, units[k].start+j+1)
				} else {
					lo, hi = append(lo, units[k].start), append(hi, units[k].end)
				}
			}
		}
		if len(text) == 0 {
			return
		}
		for at := 0; at < len(text); at += max(rapid.IntRange(-20, 300).Draw(t, "step"), -at) + 1 {
			end := min(len(text), at+rapid.IntRange(1, 400).Draw(t, "length"))
			from, to := back.origin(at, end)
			require.Equal(t, [2]int{lo[at], hi[end-1]}, [2]int{from, to}, "%d..%d of %q", at, end, text)
		}
	})
}

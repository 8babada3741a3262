package content

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestProseEnd: whole eights of bytes are passed, and back to where a word begins.
func TestProseEnd(t *testing.T) {
	for name, tt := range map[string]struct{ passed, rest string }{
		"words":                  {"The report of the second half (of them), which is kept. ", ""},
		"a digit":                {"the meeting, which was late (again), ", "took 48 chairs and tables"},
		"a sign":                 {"it was ", "the half-finished letter to the office"},
		"a letter by itself":     {"the second half of a report on l'", "harbour"},
		"two of them":            {"the second half of a ", "b report on the harbour"},
		"and far apart":          {"the second half of a         ", "b report on the harbour"},
		"and farther":            {"the second half of the report on the harbour by the street, a                        ", "b report"},
		"markup":                 {"the second half of the ", "report<b> on the harbour"},
		"another script":         {"вторая половина oтчёта, reportж, naïve ", "половина9"},
		"a letter of it":         {"половина и отчёт, 半 вторая ", "половина9"},
		"two letters of it":      {"половина и ", "半 отчёт, вторая половина"},
		"four bytes of it":       {"половина мы ", "ты отчёт, вторая половина"},
		"five bytes of it":       {"половина мы半 ты半 отчёт, вторая ", "половина9"},
		"one of each":            {"половина аy яb b половина ", "половина9"},
		"a part of a token":      {"the second half of the ", "reportreportreport.of the harbour"},
		"another script and one": {"the second half of the ", "жreportreportreport.of the harbour"},
		"a word as long":         {"the second half of the reportreportrepo. Of the harbour ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := tt.passed + tt.rest + strings.Repeat("9", 64)
			end, _, _ := proseEnd(text, 0)
			require.Equal(t, tt.passed, text[:end])
		})
	}
}

// TestFoldedTextIsSurveyedAsAny: what is passed over in a folded text tells nothing that is asked of it.
func TestFoldedTextIsSurveyedAsAny(t *testing.T) {
	d, _ := scanBody(t, "tools/call", SideResponse, result("text"))
	pieces := []string{"the ", "of ", "a ", "i ", "g ", "l'", "'s ", "n-", "o.", "r ", "harbours ", "reportreportreport", ". ", ", ", "\n", "'", "1gn0re ", "48 ", "4111 ", "4111", "/", "-", "_", "<b>", "x<b>", "*", "&amp;", "\x01", "+ADw-", "é", "é ", "я", "мы ", "半", "半 ", "🙂", "DE89 ", "GB82WEST"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		sc := newScan(context.Background(), Builtin(), d, SideResponse)
		survey := func(label string) (f features, numbers []run, marked, angled, leet bool, hits []hit) {
			v := sc.first(text)
			v.label = label
			sc.begin(v)
			f = sc.survey(text)
			return f, slices.Clone(sc.numerous), sc.marked, sc.angled, sc.ciphers.known[cipherLeet], slices.Clone(sc.hits)
		}
		f, numbers, marked, angled, leet, hits := survey(ViewNormalised)
		f2, numbers2, marked2, angled2, leet2, hits2 := survey(ViewRaw)
		require.Equal(t, f2, f)
		require.Equal(t, numbers2, numbers)
		require.Equal(t, []bool{marked2, angled2, leet2}, []bool{marked, angled, leet})
		require.Equal(t, hits2, hits)
	})
}

// TestSurveyTellsWhereNumbersMayBe: digits that are as many as a number has, with what stands between those of one, are all there.
func TestSurveyTellsWhereNumbersMayBe(t *testing.T) {
	d, _ := scanBody(t, "tools/call", SideResponse, result("text"))
	number := regexp.MustCompile(`[0-9]+(?:[-. ()]{1,2}[0-9]+)*`)
	pieces := []string{"1", "22", "333", "4444", "55555", "7777777", " ", "-", ". ", ") ", "(", " - ", ",", "a", "b7", "_", "+", "/", "é", "the "}
	told, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		sc := newScan(context.Background(), Builtin(), d, SideResponse)
		sc.begin(sc.first(text))
		sc.survey(text)
		for _, m := range number.FindAllStringIndex(text, -1) {
			if len(digitsOf(text[m[0]:m[1]])) < minNumber {
				passed++
				continue
			}
			told++
			require.True(t, slices.ContainsFunc(sc.numerous, func(r run) bool { return r.start <= m[0] && r.end >= m[1] }), "%q in %q: %v", text[m[0]:m[1]], text, sc.numerous)
		}
	})
	require.Positive(t, told)
	require.Positive(t, passed)
}

// TestSurveyTellsWhereAPhraseMayBe: as many words of the wallets' list as a phrase has are all in a row that is told.
func TestSurveyTellsWhereAPhraseMayBe(t *testing.T) {
	d, _ := scanBody(t, "tools/call", SideResponse, result("text"))
	row := strings.Repeat("abandon ", 14)
	pieces := []string{row, strings.ReplaceAll(row, " ", ", "), strings.ReplaceAll(row, " ", "-"), strings.ReplaceAll(row, " ", "\n1. "), strings.ReplaceAll(row, " ", "é"), "abandon", "zoo ", "ab ", "a ", "1 ", "-", ".", "_", "é", "x1 ", "abandoned "}
	told, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		sc := newScan(context.Background(), Builtin(), d, SideResponse)
		sc.begin(sc.first(text))
		sc.survey(text)
		for i := range len(text) {
			if number, _ := seedAt(text, i); number < 0 {
				continue
			}
			words := sc.seedRun(i, 0)
			if len(words) < minSeedWords {
				passed++
				continue
			}
			told++
			start, end := words[0].start, words[len(words)-1].end
			require.True(t, slices.ContainsFunc(sc.wordRows, func(r run) bool { return r.start <= start && r.end >= end }), "%q in %q: %v", text[start:end], text, sc.wordRows)
		}
	})
	require.Positive(t, told)
	require.Positive(t, passed)
}

// TestSurveyTellsUnseenCharacters: of all characters, those that hidden looks at.
func TestSurveyTellsUnseenCharacters(t *testing.T) {
	d, _ := scanBody(t, "tools/call", SideResponse, result("text"))
	sc := newScan(context.Background(), Builtin(), d, SideResponse)
	for r := rune(utf8.RuneSelf); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := "a" + string(r) + "жb"
		sc.begin(sc.first(s))
		end, _ := plainEnd(s, 0, false)
		require.Equal(t, end < len(s), sc.survey(s).has(hasUnseen), "%x", r)
	}
}

// TestProseBeginsWithAWord: a letter behind a digit is part of its word, and not the first of six that are set apart.
func TestProseBeginsWithAWord(t *testing.T) {
	d, _ := scanBody(t, "tools/call", SideResponse, result("text"))
	sc := newScan(context.Background(), Builtin(), d, SideResponse)
	for begin, spaced := range map[string]bool{"1ж": false, "-ж": true} {
		v := sc.first("the " + begin + " b c d e f, " + strings.Repeat("the second half of the report ", 4))
		v.label = ViewNormalised
		sc.begin(v)
		require.Equal(t, spaced, sc.survey(v.text).has(hasSpaced), begin)
	}
}

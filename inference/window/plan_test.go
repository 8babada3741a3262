package window_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
	"github.com/sallyport-mcp/sallyport/inference/window"
)

// byWords gives every word a token that begins with the space before it, as
// SentencePiece's do.
func byWords(text string) []tokenizer.Token {
	var tokens []tokenizer.Token
	start := 0
	for i := 1; i <= len(text); i++ {
		if i == len(text) || text[i] == ' ' || text[i] == '\n' {
			tokens = append(tokens, tokenizer.Token{ID: int32(len(tokens)), Start: int32(start), End: int32(i)})
			start = i
		}
	}
	return tokens
}

func planAll(text string, size window.Size) []string {
	tokens := byWords(text)
	var read []string
	for from := 0; from < len(tokens); {
		r, next := window.Next(text, tokens, from, size, true)
		read = append(read, strings.TrimSpace(text[tokens[r.From].Start:tokens[r.To-1].End]))
		from = next
	}
	return read
}

func TestWindowsEndAtSentencesAndLines(t *testing.T) {
	tests := []struct {
		name, text string
		size       window.Size
		want       []string
	}{
		{"short text is one window", "One two three.", window.Size{Tokens: 5, Overlap: 1}, []string{"One two three."}},
		{"exact fit is one window", "a b c d e", window.Size{Tokens: 5, Overlap: 1}, []string{"a b c d e"}},
		{"cut after a sentence", "One two three. Four five six seven. Eight", window.Size{Tokens: 5, Overlap: 1}, []string{"One two three.", "three. Four five six seven.", "seven. Eight"}},
		{"cut at a line", "one two three\nfour five six seven", window.Size{Tokens: 5, Overlap: 0}, []string{"one two three", "four five six seven"}},
		{"quote after the full stop", `He said "one two." Then three four five`, window.Size{Tokens: 5, Overlap: 0}, []string{`He said "one two."`, "Then three four five"}},
		{"no boundary: cut where full", "a b c d e f g h", window.Size{Tokens: 5, Overlap: 2}, []string{"a b c d e", "d e f g h"}},
		{"a point inside a number is no boundary", "a b 1.5 c d e f", window.Size{Tokens: 4, Overlap: 0}, []string{"a b 1.5 c", "d e f"}},
		{"overlap begins at a sentence", "a b c. d e f g", window.Size{Tokens: 6, Overlap: 2}, []string{"a b c. d e f", "e f g"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, planAll(test.text, test.size))
		})
	}
}

func TestEveryTokenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bb", "c.", "d!", "e\nf", "日。"}), 1, 200).Draw(t, "words")
		text := strings.Join(words, " ")
		tokens := byWords(text)
		size := window.SizeOf(rapid.IntRange(1, 40).Draw(t, "tokens"), rapid.Float64Range(0, 0.5).Draw(t, "overlap"))
		covered, windows := 0, 0
		for from := 0; from < len(tokens); windows++ {
			r, next := window.Next(text, tokens, from, size, true)
			if r.From != from || r.To <= r.From || r.To-r.From > size.Tokens {
				t.Fatalf("window %v from %d of size %v", r, from, size)
			}
			if r.From > covered {
				t.Fatalf("tokens %d to %d are not read", covered, r.From)
			}
			if next <= from || next > r.To || r.To-next > size.Overlap {
				t.Fatalf("next window begins at %d after %v", next, r)
			}
			covered, from = r.To, next
		}
		if covered != len(tokens) {
			t.Fatalf("read %d of %d tokens", covered, len(tokens))
		}
		if most := 4*len(tokens)/size.Tokens + 2; size.Tokens >= 8 && windows > 2*most {
			t.Fatalf("%d windows for %d tokens", windows, len(tokens))
		}
	})
}

func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"a", "word ", "line\n", "日本", "😀", "\xff\xfe", " "}).Draw(t, "unit")
		text := strings.Repeat(unit, rapid.IntRange(0, 40_000).Draw(t, "times")/len(unit))
		for left := text; len(left) > 0; {
			n := window.Block(left)
			if n <= 0 || n > len(left) || n > 16<<10 {
				t.Fatalf("block of %d bytes of %d", n, len(left))
			}
			if n < len(left) && utf8.ValidString(text) && !utf8.RuneStart(left[n]) {
				t.Fatalf("block ends within a rune")
			}
			left = left[n:]
		}
	})
	long := strings.Repeat("word ", 4000)
	require.Equal(t, byte(' '), long[window.Block(long)], "a block ends before a space")
}

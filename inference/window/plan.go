package window

import (
	"unicode"
	"unicode/utf8"

	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
)

// Size is how large windows are.
type Size struct {
	// Tokens is the most tokens of text in a window, at least 1.
	Tokens int
	// Overlap is how many of them the next window reads again, less than
	// half of Tokens.
	Overlap int
}

// SizeOf returns the size of windows of so many tokens of text that share the
// given part, from 0 to 0.5.
func SizeOf(tokens int, overlap float64) Size {
	tokens = max(1, tokens)
	return Size{tokens, min(int(float64(tokens)*overlap), (tokens-1)/2)}
}

// Range is tokens [From, To) of a text.
type Range struct{ From, To int }

// Next returns the window that begins at token from, and where the one after
// it begins; next is len(tokens) when there is none. With final false, more
// tokens will follow, and the caller must have more than size.Tokens left.
//
// A window that is not the last one ends at the last sentence or line boundary
// in its second half, if there is one there, and the next begins at the first
// such boundary within the overlap; so a sentence that fits is read whole.
func Next(text string, tokens []tokenizer.Token, from int, size Size, final bool) (r Range, next int) {
	end := from + size.Tokens
	if end >= len(tokens) && final {
		return Range{from, len(tokens)}, len(tokens)
	}
	end = min(end, len(tokens))
	for k := end; k > from+size.Tokens/2; k-- {
		if boundary(text, tokens, k) {
			end = k
			break
		}
	}
	if end == len(tokens) && final {
		return Range{from, end}, end
	}
	next = max(from+1, end-size.Overlap)
	for k := next; k < end; k++ {
		if boundary(text, tokens, k) {
			next = k
			break
		}
	}
	return Range{from, end}, next
}

// boundary reports whether a sentence or a line ends before token k.
func boundary(text string, tokens []tokenizer.Token, k int) bool {
	if k <= 0 || k >= len(tokens) {
		return k == len(tokens)
	}
	// The white space between two tokens may belong to either or to none.
	lo, hi := int(tokens[k-1].End), int(tokens[k].Start)
	for lo > 0 && isSpaceByte(text[lo-1]) {
		lo--
	}
	for hi < len(text) && isSpaceByte(text[hi]) {
		hi++
	}
	spaced := false
	for i := lo; i < hi; i++ {
		switch text[i] {
		case '\n', '\r':
			return true
		case ' ', '\t', '\f', '\v':
			spaced = true
		}
	}
	return endsSentence(text[:lo], spaced)
}

func isSpaceByte(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// longestClosing bounds how many quotes and brackets may close a sentence after
// its full stop.
const longestClosing = 4

func endsSentence(before string, spaced bool) bool {
	for range longestClosing {
		r, size := utf8.DecodeLastRuneInString(before)
		switch r {
		case '.', '!', '?', ';', '\u2026':
			return spaced
		case '\u3002', '\uFF01', '\uFF1F', '\uFF1B', '\u0964', '\u061F', '\u06D4':
			return true // scripts that put no space behind it
		}
		if size == 0 || r != '"' && r != '\'' && !unicode.In(r, unicode.Pe, unicode.Pf) {
			return false
		}
		before = before[:len(before)-size]
	}
	return false
}

// Block sizes in bytes: a long text is tokenized block by block, so that a
// budget of windows bounds the tokenizer's work too.
const (
	blockBytes  = 8 << 10
	blockSearch = 2 << 10
)

// Block returns the length of the text's first block: all of it when it is
// short, else up to white space if there is any near the end of the block, and
// never within a rune.
func Block(text string) int {
	if len(text) <= blockBytes+blockSearch {
		return len(text)
	}
	space := -1
	for i := blockBytes; i > blockBytes-blockSearch; i-- {
		if text[i] == '\n' {
			return i + 1
		}
		if space < 0 && text[i] == ' ' {
			space = i
		}
	}
	if space > 0 {
		return space
	}
	i := blockBytes
	for i > blockBytes-utf8.UTFMax && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

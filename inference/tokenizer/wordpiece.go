package tokenizer

import "unicode/utf8"

// wordPiece takes the longest piece from the left, again and again; a word
// that cannot be covered so, or is too long, is one unknown token.
type wordPiece struct {
	initial *trie
	// continued holds the pieces that go on inside a word, without their
	// "##".
	continued *trie
	unknown   int32
	// longest is the number of runes from which a word is unknown unseen.
	longest int
	count   int
}

func (m *wordPiece) size() int { return m.count }

func (m *wordPiece) tokens(dst []Token, text *aligned, piece span, _ *scratch) []Token {
	w := text.text[piece.lo:piece.hi]
	unknown := Token{m.unknown, text.from[piece.lo], text.to[piece.hi-1]}
	if len(w) > m.longest && utf8.RuneCount(w) > m.longest {
		return append(dst, unknown)
	}
	first := len(dst)
	pieces := m.initial
	for i := 0; i < len(w); {
		id, length := pieces.longest(w[i:])
		if id == noValue {
			return append(dst[:first], unknown)
		}
		at := int(piece.lo) + i
		dst = append(dst, Token{id, text.from[at], text.to[at+length-1]})
		i += length
		pieces = m.continued
	}
	return dst
}

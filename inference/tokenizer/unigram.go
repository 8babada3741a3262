package tokenizer

import "unicode/utf8"

// model turns one piece into tokens. base is the piece's place in w.text.
type model interface {
	tokens(dst []Token, text *aligned, piece span, sc *scratch) []Token
	size() int
}

// unigram picks the segmentation of highest probability (Kudo 2018, "Subword
// Regularization"), exactly as the reference's optimised Viterbi does: scores
// are summed in float64 from the left, and of equal paths the one found first
// stays.
type unigram struct {
	pieces *trie
	scores []float64
	// unknown is the id given to runes that no piece covers; runs of them
	// are one token.
	unknown      int32
	unknownScore float64
}

// unknownPenalty is how much worse than the worst piece an unknown rune is.
const unknownPenalty = 10

// pathEnd is the best path that ends at one byte of the piece.
type pathEnd struct {
	score float64
	start int32 // where its last token begins; -1 when nothing ends here
	id    int32
}

func (m *unigram) size() int { return len(m.scores) }

func (m *unigram) tokens(dst []Token, text *aligned, piece span, sc *scratch) []Token {
	w := text.text[piece.lo:piece.hi]
	ends := sc.pathEnds(len(w) + 1)
	m.forward(w, ends)

	first := len(dst)
	for end := int32(len(w)); end > 0; {
		last := ends[end]
		start := last.start
		for last.id == m.unknown && start > 0 && ends[start].id == m.unknown {
			start = ends[start].start
		}
		dst = append(dst, Token{
			ID:    last.id,
			Start: text.from[piece.lo+start],
			End:   text.to[piece.lo+end-1],
		})
		end = start
	}
	for a, b := first, len(dst)-1; a < b; a, b = a+1, b-1 {
		dst[a], dst[b] = dst[b], dst[a]
	}
	return dst
}

func (m *unigram) forward(w []byte, ends []pathEnd) {
	cells := m.pieces.cells
	for i := 0; i < len(w); {
		here := ends[i].score
		size := 1
		if w[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(w[i:])
		}
		covered := false
		state := int32(0)
		for k := i; k < len(w); k++ {
			next := cells[state].base + int32(w[k])
			if int(next) >= len(cells) || cells[next].check != state {
				break
			}
			state = next
			id := cells[state].value
			if id == noValue {
				continue
			}
			end := &ends[k+1]
			if score := here + m.scores[id]; end.start < 0 || score > end.score {
				*end = pathEnd{score, int32(i), id}
			}
			covered = covered || k+1-i == size
		}
		if !covered {
			end := &ends[i+size]
			if score := here + m.unknownScore; end.start < 0 || score > end.score {
				*end = pathEnd{score, int32(i), m.unknown}
			}
		}
		i += size
	}
}

package tokenizer

import (
	"math"
	"sync"
)

// Token is one token id and the bytes [Start, End) of the text it stands for.
// Neighbours may share bytes where a normalizer joined or multiplied them;
// Start and End never decrease along a text.
type Token struct {
	ID         int32
	Start, End int32
}

// MaxText is the longest text, in bytes, that Encode takes: offsets are int32
// and the pipeline may lengthen a text before it shortens it.
const MaxText = math.MaxInt32 / 64

// Tokenizer turns text into token ids. It is immutable and safe for concurrent
// use.
type Tokenizer struct {
	normalizers []normalizer
	pre         preTokenizer
	model       model
	prefix      []int32
	suffix      []int32
	pad         int32
	vocabSize   int
	kind        string
	scratch     sync.Pool
}

// Kind is the model kind: "Unigram" or "WordPiece".
func (t *Tokenizer) Kind() string { return t.kind }

// VocabSize is one more than the largest id, added tokens included.
func (t *Tokenizer) VocabSize() int { return t.vocabSize }

// Prefix is what the post-processor puts before a text, such as [CLS]. The
// caller must not change it.
func (t *Tokenizer) Prefix() []int32 { return t.prefix }

// Suffix is what the post-processor puts after a text, such as [SEP]. The
// caller must not change it.
func (t *Tokenizer) Suffix() []int32 { return t.suffix }

// Pad is the id that fills short rows of a batch, 0 when the file names none.
func (t *Tokenizer) Pad() int32 { return t.pad }

// Encode appends the tokens of text to dst, without Prefix and Suffix. Control
// tokens spelled in text are text. Time is linear in the text (times the length
// of the longest piece at worst); dst's growth aside, it does not allocate once
// its buffers are warm. A text longer than MaxText is cut there.
func (t *Tokenizer) Encode(dst []Token, text string) []Token {
	if text == "" {
		return dst
	}
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	sc, _ := t.scratch.Get().(*scratch)
	if sc == nil {
		sc = new(scratch)
	}
	cur, spare := &sc.one, &sc.two
	cur.load(text)
	for _, step := range t.normalizers {
		if step.normalize(cur, spare) == spare {
			cur, spare = spare, cur
		}
	}
	if len(cur.text) > 0 {
		sc.words.text, sc.words.spare = cur, spare
		sc.words.splits = append(sc.words.splits[:0], span{0, int32(len(cur.text))})
		sc.words.next = sc.words.next[:0]
		if t.pre != nil {
			t.pre.split(&sc.words)
		}
		for _, piece := range sc.words.splits {
			dst = t.model.tokens(dst, sc.words.text, piece, sc)
		}
	}
	if sc.worthKeeping() {
		t.scratch.Put(sc)
	}
	return dst
}

// scratch is the working memory of one Encode.
type scratch struct {
	one, two aligned
	words    words
	ends     []pathEnd
}

// keepScratch is the size in bytes of text up to which working memory is kept
// for the next call; a rare huge text must not pin its buffers.
const keepScratch = 1 << 18

func (s *scratch) worthKeeping() bool {
	return cap(s.one.text) <= keepScratch && cap(s.two.text) <= keepScratch && cap(s.ends) <= keepScratch
}

// pathEnds returns n entries at which nothing ends yet.
func (s *scratch) pathEnds(n int) []pathEnd {
	if cap(s.ends) < n {
		s.ends = make([]pathEnd, n+n/2)
	}
	ends := s.ends[:n]
	for i := range ends {
		ends[i] = pathEnd{start: -1}
	}
	ends[0] = pathEnd{}
	return ends
}

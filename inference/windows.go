package inference

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
	"github.com/sallyport-mcp/sallyport/inference/window"
)

// Window is a stretch of text as the model reads it.
type Window struct {
	// IDs are the token ids with the control tokens around them, at most
	// Info.MaxTokens. They must not be changed.
	IDs []int32
	// Start and End are the bytes of the text that the window stands for.
	Start, End int
	// Key is a hash of the ids and the model, keyed per process: equal keys
	// mean equal scores.
	Key [16]byte
}

// Skips counts the machine text that was not read; see window.Skips.
type Skips = window.Skips

// Span is bytes [Start, End) of a text.
type Span struct{ Start, End int }

// PlanOptions say what is read of a text.
type PlanOptions struct {
	// Budget is the most windows to plan; 0 plans none.
	Budget int
	// Wide plans windows of Info.WideTokens instead of Info.WindowTokens.
	Wide bool
	// Around plans only windows that touch one of these spans; empty means
	// all. Spans are in order and do not overlap.
	Around []Span
}

// Report says what a plan leaves out.
type Report struct {
	// Dropped is how many more windows the text has than the budget, an
	// estimate where the rest was not tokenized.
	Dropped int
	// Read is the number of bytes from the beginning that were planned.
	Read int
	// Skipped counts machine text within them.
	Skipped Skips
}

// Windows appends the narrow windows of text to dst, at most budget of them, and
// returns how many were dropped. Text of machine runs alone has no windows.
func (c *Classifier) Windows(dst []Window, text string, budget int) (w []Window, dropped int) {
	w, r := c.Plan(dst, text, PlanOptions{Budget: budget})
	return w, r.Dropped
}

// Plan appends windows of text to dst. Every window is a text of its own for
// the model, with its control tokens. Work is bounded by the budget: what is
// left of a long text is not tokenized.
func (c *Classifier) Plan(dst []Window, text string, o PlanOptions) ([]Window, Report) {
	if len(text) > tokenizer.MaxText {
		text = text[:tokenizer.MaxText]
	}
	tokens := c.info.WindowTokens
	if o.Wide {
		tokens = c.info.WideTokens
	}
	p := planners.Get().(*planner)
	defer p.release()
	p.c, p.text = c, text
	p.size = window.SizeOf(tokens-len(c.tok.Prefix())-len(c.tok.Suffix()), c.info.Overlap)
	return p.plan(dst, o)
}

// planner is the working memory of one Plan.
type planner struct {
	c    *Classifier
	text string
	size window.Size
	// fed is how much of text is tokenized; tokens are those from first on.
	fed     int
	tokens  []tokenizer.Token
	runs    []window.Run
	hashed  []byte // what a key is the hash of
	skipped Skips
}

var planners = sync.Pool{New: func() any { return new(planner) }}

func (p *planner) release() {
	*p = planner{tokens: p.tokens[:0], runs: p.runs[:0], hashed: p.hashed[:0]}
	planners.Put(p)
}

func (p *planner) plan(dst []Window, o PlanOptions) ([]Window, Report) {
	planned, from := 0, 0
	read := 0
	around := o.Around
	for {
		for len(p.tokens)-from <= p.size.Tokens && p.fed < len(p.text) {
			p.tokens = append(p.tokens[:0], p.tokens[from:]...)
			from = 0
			p.feed()
		}
		if from >= len(p.tokens) {
			break
		}
		if planned >= o.Budget {
			return dst, Report{Dropped: p.rest(from, planned, read), Read: read, Skipped: p.skipped}
		}
		r, next := window.Next(p.text, p.tokens, from, p.size, p.fed == len(p.text))
		from = next
		w := Span{int(p.tokens[r.From].Start), int(p.tokens[r.To-1].End)}
		read = w.End
		if len(o.Around) > 0 {
			for len(around) > 0 && around[0].End <= w.Start {
				around = around[1:]
			}
			if len(around) == 0 {
				break
			}
			if around[0].Start >= w.End {
				continue
			}
		}
		dst = append(dst, p.window(p.tokens[r.From:r.To], w))
		planned++
	}
	return dst, Report{Read: len(p.text), Skipped: p.skipped}
}

// feed tokenizes one more block, without the tokens of machine text.
func (p *planner) feed() {
	start := p.fed
	block := p.text[start : start+window.Block(p.text[start:])]
	p.fed += len(block)
	first := len(p.tokens)
	p.tokens = p.c.tok.Encode(p.tokens, block)
	p.runs = window.Machine(p.runs[:0], block)
	for _, r := range p.runs {
		p.skipped.Add(r)
	}
	kept, run := first, 0
	for _, t := range p.tokens[first:] {
		for run < len(p.runs) && p.runs[run].End < int(t.End) {
			run++
		}
		if run < len(p.runs) && within(t, p.runs[run], block) {
			continue
		}
		p.tokens[kept] = tokenizer.Token{ID: t.ID, Start: t.Start + int32(start), End: t.End + int32(start)}
		kept++
	}
	p.tokens = p.tokens[:kept]
}

// within reports whether a token belongs to a run of machine text. It may begin
// with the space before the run, or be nothing but that space.
func within(t tokenizer.Token, r window.Run, text string) bool {
	start, end := int(t.Start), int(t.End)
	if start < r.Start-1 || end > r.End {
		return false
	}
	return end > r.Start || end == r.Start && (start == end || text[start] == ' ')
}

// rest estimates how many windows the unplanned text would make.
func (p *planner) rest(from, planned, read int) int {
	advance := max(1, p.size.Tokens-p.size.Overlap)
	n := (len(p.tokens) - from + advance - 1) / advance
	if left := len(p.text) - p.fed; left > 0 {
		// By the windows per byte so far, or else by a token in four bytes.
		perByte := 1 / float64(4*advance)
		if planned > 0 && read > 0 {
			perByte = float64(planned) / float64(read)
		}
		n += int(math.Ceil(float64(left) * perByte))
	}
	return max(1, n)
}

func (p *planner) window(tokens []tokenizer.Token, span Span) Window {
	tok := p.c.tok
	ids := make([]int32, 0, len(tokens)+len(tok.Prefix())+len(tok.Suffix()))
	ids = append(ids, tok.Prefix()...)
	for _, t := range tokens {
		ids = append(ids, t.ID)
	}
	ids = append(ids, tok.Suffix()...)
	w := Window{IDs: ids, Start: span.Start, End: span.End}
	w.Key, p.hashed = p.c.windowKey(p.hashed, ids)
	return w
}

// windowKey hashes ids behind the process's secret and the model's identity. buf is
// working memory, which it returns for the next time: on the stack it would make
// every new goroutine's grow.
func (c *Classifier) windowKey(buf []byte, ids []int32) (key [16]byte, _ []byte) {
	buf = append(buf[:0], c.key[:]...)
	buf = slices.Grow(buf, 4*len(ids))
	for _, id := range ids {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(id))
	}
	sum := sha256.Sum256(buf)
	copy(key[:], sum[:])
	return key, buf
}

package bench

import (
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/inference"
)

// queue is the work of one pass: texts in the order of their arrival and the
// windows they make.
type queue struct {
	texts   []traffic.Text
	windows []inference.Window
	// of holds the windows of each text, as indexes into windows.
	of     [][]int
	tokens int
}

// mostWindows bounds the windows of one text. It is far beyond any mix: what is
// measured leaves nothing out.
const mostWindows = 4096

// newQueue draws texts until enough says so. With distinct, texts of which a
// window was drawn before are left out, so that no contestant can save work.
func (s *subject) newQueue(src *traffic.Source, distinct bool, enough func(texts, tokens int) bool) *queue {
	q := &queue{}
	seen := map[[16]byte]bool{}
	for !enough(len(q.texts), q.tokens) {
		t := src.Next()
		windows, _ := s.classifier.Plan(nil, t.Text, inference.PlanOptions{Budget: mostWindows, Wide: s.wide})
		if distinct && anySeen(seen, windows) {
			continue
		}
		q.add(t, windows)
	}
	return q
}

func anySeen(seen map[[16]byte]bool, windows []inference.Window) bool {
	for _, w := range windows {
		if seen[w.Key] {
			return true
		}
	}
	for _, w := range windows {
		seen[w.Key] = true
	}
	return false
}

func (q *queue) add(t traffic.Text, windows []inference.Window) {
	mine := make([]int, len(windows))
	for i, w := range windows {
		mine[i] = len(q.windows)
		q.windows = append(q.windows, w)
		q.tokens += len(w.IDs)
	}
	q.texts = append(q.texts, t)
	q.of = append(q.of, mine)
}

// textTokens is the ids of one text, as the model reads them.
func (q *queue) textTokens(i int) int {
	n := 0
	for _, w := range q.of[i] {
		n += len(q.windows[w].IDs)
	}
	return n
}

// beyond is the tokens of all texts that are longer than that.
func (q *queue) beyond(longest int) int {
	sum := 0
	for i := range q.texts {
		if n := q.textTokens(i); n > longest {
			sum += n
		}
	}
	return sum
}

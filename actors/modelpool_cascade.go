package actors

import (
	"cmp"
	"math"
	"slices"

	"github.com/sallyport-mcp/sallyport/messages"
)

// cascade lets the gate read everything and the judge what the gate does not
// clear, most suspicious first.
func (c *classification) cascade(pieces []piece) error {
	var own [1]span
	spans, err := c.read(messages.StageGate, pieces, gateWindows(c.lim.MaxWindows, c.models[messages.StageGate].windowTokens()), own[:0])
	if err != nil {
		return err
	}
	read := make([]int, len(c.segments))
	for _, w := range spans {
		s := &c.result.Segments[w.segment]
		if score := float64(w.score); score > s.Gate {
			s.Gate = score
			if c.gateBlocks(w.segment, score) {
				s.Start, s.End = w.start, w.end
			}
		}
		read[w.segment]++
	}
	if c.blocked() {
		// Decided: what the judge would say changes nothing.
		for i, n := range read {
			if s := &c.result.Segments[i]; !s.Cached {
				s.Windows = n
			}
		}
		for _, w := range spans {
			if !c.cleared(w) && !c.result.Segments[w.segment].GateBlocked {
				c.result.Segments[w.segment].Skipped++
			}
		}
		return nil
	}
	suspects := slices.DeleteFunc(spans, c.cleared)
	slices.SortStableFunc(suspects, func(a, b span) int { return cmp.Compare(b.score, a.score) })
	asked := make([]piece, len(suspects))
	for i, w := range suspects {
		asked[i] = piece{segment: w.segment, start: w.start, end: w.end, again: true}
	}
	if len(asked) > 0 {
		if err := c.judge(asked, c.lim.JudgeWindows); err != nil {
			return err
		}
	}
	for i, n := range read {
		// So far Windows counts what the judge read of the segment.
		if s := &c.result.Segments[i]; !s.Cached {
			s.Judged, s.Windows = s.Windows, n
			c.result.Judged += s.Judged
		}
	}
	return nil
}

// fullWindow is the size, in ids, of the windows that MaxWindows counts for a gate.
const fullWindow = 256

// gateWindows is how many windows of the given size a gate may read where most of
// fullWindow ids are allowed: a gate with narrower windows reads as much text, and what
// the limit bounds is the work.
func gateWindows(most, tokens int) int {
	if tokens <= 0 || tokens >= fullWindow || most > math.MaxInt/fullWindow {
		return most
	}
	return (most*fullWindow + tokens - 1) / tokens
}

func (c *classification) cleared(w span) bool {
	gate := c.models[messages.StageGate].info
	surface := c.segments[w.segment].Surface
	below := c.h.cfg.GateClear
	if below <= 0 {
		below = gate.ClearAt(surface)
	}
	if below <= 0 {
		below = gate.Thresholds(surface).Review
	}
	return float64(w.score) < below
}

// gateBlocks notes and reports whether a score of the gate decides its segment. Only
// segments that may end a payload early are decided without the judge; the others
// are marked and read on.
func (c *classification) gateBlocks(segment int, score float64) bool {
	if !c.h.cfg.GateBlocks || len(c.models) <= messages.StageGate {
		return false
	}
	at := c.models[messages.StageGate].info.Thresholds(c.segments[segment].Surface).Block
	if at <= 0 || score < at {
		return false
	}
	s := &c.result.Segments[segment]
	s.GateBlocked = true
	s.Blocked = s.Blocked || c.segments[segment].BlockAt > 0
	return true
}

package actors

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// ModelSegment is one text to classify.
type ModelSegment struct {
	// Text is read by itself; windows never cross segments.
	Text string
	// Surface is where in MCP traffic the text stood, a name of inference.Surfaces.
	// It picks the gate's threshold. Empty is the default surface.
	Surface string
	// BlockAt is the score at which this segment decides the payload, so that the
	// rest need not be read. Zero or less: never.
	BlockAt float64
	// Flagged are byte spans of Text in which something was found already, in any
	// order. A judge that reads wide windows reads them once more in narrow ones,
	// because a sentence is diluted in a wide one.
	Flagged []inference.Span
}

// ModelLimits bound one call. A zero field takes the pool's own.
type ModelLimits struct {
	// Deadline is when the answer is of no use any more. Zero: the context's, or half
	// a minute.
	Deadline time.Time
	// MaxWindows bounds the windows read of all segments together, JudgeWindows those
	// that the judge reads behind a gate; see [ModelPoolConfig].
	MaxWindows, JudgeWindows int
}

// ModelResult is what the model says about a payload.
type ModelResult struct {
	// Score is the highest of all segments, in [0, 1].
	Score float64
	// Segments are in the order of the call.
	Segments []SegmentResult
	// Model is the short hash of the model whose score this is.
	Model string
	// Dropped counts windows beyond a limit, which nobody read. More than zero is a
	// partial coverage.
	Dropped int
	// Skipped counts windows that were not read because another one blocks.
	Skipped int
	// Cached, Shared and Computed count windows by where the score came from; a
	// segment that was known as a whole counts with all its windows as cached.
	Cached, Shared, Computed int
	// Judged counts the windows that the judge read behind a gate.
	Judged int
	// Together is the sum, over those shared and computed, of the windows in the batch
	// that each ran in.
	Together int
}

// MeanBatch is how many windows were in a batch that this call had a window in; 0 when
// nothing had to be computed.
func (r ModelResult) MeanBatch() float64 {
	if n := r.Shared + r.Computed; n > 0 {
		return float64(r.Together) / float64(n)
	}
	return 0
}

// SegmentResult is what the model says about one segment.
type SegmentResult struct {
	// Score is the judge's highest score, 0 for a segment of which it read nothing
	// because the gate cleared it all.
	Score float64
	// Gate is the gate's highest score, 0 without a gate.
	Gate float64
	// Judged counts the windows that the judge read behind a gate.
	Judged int
	// Start and End are the bytes of the window with that score.
	Start, End int
	// Windows counts what was read, Dropped what was beyond a limit, Skipped what was
	// not read because another window blocks.
	Windows, Dropped, Skipped int
	// Machine is the number of bytes of machine text (ids, numbers, hashes, base64)
	// that no model reads.
	Machine int
	// Blocked means that the score reached BlockAt, or that the gate blocks.
	Blocked bool
	// GateBlocked means that the gate blocks by itself; see ModelPoolConfig.GateBlocks.
	GateBlocked bool
	// Cached means that the whole segment was known.
	Cached bool
}

// Complete reports whether every window of the segment was read.
func (s SegmentResult) Complete() bool { return s.Dropped == 0 && s.Skipped == 0 }

// Classify scores segments. It tokenises on the caller's goroutine, asks the
// caches, and makes one hop for what is left, two behind a gate. A block wins over
// an error: when one window blocks, a window that failed does not matter.
//
// Errors are *messages.ModelError. The context bounds the wait.
func (h *ModelPool) Classify(ctx context.Context, segments []ModelSegment, lim ModelLimits) (ModelResult, error) {
	v := h.view.Load()
	if v.phase != modelReady {
		return ModelResult{}, h.fault(v.absent())
	}
	if lim.MaxWindows <= 0 {
		lim.MaxWindows = h.cfg.MaxWindows
	}
	if lim.JudgeWindows <= 0 {
		lim.JudgeWindows = h.cfg.JudgeWindows
	}
	c := &classification{h: h, ctx: ctx, lim: lim, models: v.models, identity: v.identity, segments: segments}
	c.result.Segments = make([]SegmentResult, len(segments))
	c.result.Model = v.models[messages.StageJudge].info.ID
	return c.do()
}

func (h *ModelPool) fault(f messages.ModelFault) error {
	h.cfg.Observer.Fault(f)
	return &messages.ModelError{Fault: f}
}

// classification is one call on its way.
type classification struct {
	h        *ModelPool
	ctx      context.Context
	lim      ModelLimits
	models   []*model
	identity string
	segments []ModelSegment
	result   ModelResult
	entering time.Duration // what it adds to the wait, while it is not in the queue
}

// few is the memory of the lists of a call of one text, which most are. Like the
// classification it stays on the caller's stack.
type few struct {
	keys   [1]cacheKey
	pieces [1]piece
}

// pass is the memory of one reading by one model, with that of the window of a short
// text. It is made for each: what the pool holds of one may still be on its way when
// the next begins.
type pass struct {
	windows [1]inference.Window
	call    submission
}

// piece is a part of a segment that is cut into windows.
type piece struct {
	segment    int
	start, end int              // bytes of the segment's text
	around     []inference.Span // not nil: only what touches these, in narrow windows
	again      bool             // a model has read this text already
}

// span is a window's place and score.
type span struct {
	segment    int
	start, end int
	score      float32 // -1: not read
}

func (c *classification) do() (ModelResult, error) {
	var own few
	keys, pieces := c.lookUp(&own)
	var err error
	if bytes := sizeOf(pieces); bytes > 0 {
		known := false
		if c.h.cache.segments != nil {
			known = c.h.reading.enter(keys, pieces)
			defer c.h.reading.leave(keys, pieces)
		}
		if fault, refused := c.hopeless(bytes); refused && !known {
			return ModelResult{}, c.h.fault(fault)
		}
		defer c.entered()
	}
	switch {
	case len(pieces) == 0:
	case len(c.models) > messages.StageGate:
		err = c.cascade(pieces)
	default:
		err = c.judge(pieces, c.lim.MaxWindows)
	}
	if err != nil {
		return ModelResult{}, err
	}
	c.remember(keys)
	r := &c.result
	for i := range r.Segments {
		s := &r.Segments[i]
		r.Score = max(r.Score, s.Score)
		r.Dropped += s.Dropped
		r.Skipped += s.Skipped
	}
	return *r, nil
}

func sizeOf(pieces []piece) (bytes int) {
	for _, p := range pieces {
		bytes += p.end - p.start
	}
	return bytes
}

// lookUp answers segments that are known and returns the others, and the keys of all.
func (c *classification) lookUp(own *few) (keys []cacheKey, pieces []piece) {
	keys = append(own.keys[:0], make([]cacheKey, len(c.segments))...)
	pieces = own.pieces[:0]
	hits := 0
	for i, s := range c.segments {
		keys[i] = c.h.cache.segmentKey(c.identity, s.Surface, s.Text)
		e, ok := c.h.cache.segment(keys[i])
		if !ok || c.twice(i) {
			pieces = append(pieces, piece{segment: i, end: len(s.Text)})
			continue
		}
		hits++
		r := &c.result.Segments[i]
		*r = SegmentResult{Score: float64(e.score), Gate: float64(e.gate), Start: e.start, End: e.end,
			Windows: e.windows, Judged: e.judged, Machine: e.machine, Cached: true}
		r.Blocked = s.BlockAt > 0 && r.Score >= s.BlockAt
		c.gateBlocks(i, r.Gate)
		c.result.Cached += e.windows
	}
	c.h.cfg.Observer.Cache("segment", hits, len(pieces))
	if c.blocked() {
		for _, p := range pieces {
			c.result.Segments[p.segment].Skipped++
		}
		return keys, nil
	}
	for _, p := range pieces {
		if c.twice(p.segment) {
			p.around = merge(c.segments[p.segment].Flagged)
			pieces = append(pieces, p)
		}
	}
	return keys, pieces
}

// twice reports whether a segment is read in wide windows and in narrow ones. Its
// result depends on what was flagged and is not cached as a whole.
func (c *classification) twice(segment int) bool {
	return len(c.models) == 1 && c.models[0].wide && len(c.segments[segment].Flagged) > 0
}

// merge puts spans in order and joins those that touch.
func merge(spans []inference.Span) []inference.Span {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b inference.Span) int { return cmp.Compare(a.Start, b.Start) })
	out := sorted[:0]
	for _, s := range sorted {
		if n := len(out); n > 0 && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (c *classification) blocked() bool {
	return slices.ContainsFunc(c.result.Segments, func(s SegmentResult) bool { return s.Blocked })
}

// remember keeps complete results of segments for the next time.
func (c *classification) remember(keys []cacheKey) {
	for i := range c.result.Segments {
		s := &c.result.Segments[i]
		if s.Cached || !s.Complete() || c.twice(i) {
			continue
		}
		c.h.cache.putSegment(keys[i], segmentEntry{score: float32(s.Score), gate: float32(s.Gate),
			start: s.Start, end: s.End, windows: s.Windows, judged: s.Judged, machine: s.Machine})
	}
}

// judge lets the judge read pieces and takes its scores as the segments' own.
func (c *classification) judge(pieces []piece, budget int) error {
	var own [1]span
	spans, err := c.read(messages.StageJudge, pieces, budget, own[:0])
	if err != nil {
		return err
	}
	for _, w := range spans {
		s := &c.result.Segments[w.segment]
		if w.score < 0 {
			s.Skipped++
			continue
		}
		s.Windows++
		if score := float64(w.score); score > s.Score || s.End == 0 {
			s.Score, s.Start, s.End = score, w.start, w.end
		}
		if at := c.segments[w.segment].BlockAt; at > 0 && s.Score >= at {
			s.Blocked = true
		}
	}
	return nil
}

// read scores the windows of pieces with one model and appends them to spans, which
// is empty. Windows beyond the budget are counted as dropped with their segment, in the
// order of the pieces.
//
// It waits itself, with next to nothing on the stack below it: by the time an answer is
// there, every line of a waiting stack has to be fetched again.
func (c *classification) read(stage int, pieces []piece, budget int, spans []span) ([]span, error) {
	m := &pass{}
	var own [1]int
	spans, missing := c.pose(m, stage, pieces, budget, spans, own[:0])
	if len(missing) == 0 {
		return spans, nil
	}
	ctx, until, cancel := within(c.ctx, c.lim.Deadline)
	m.call.Deadline = until
	c.entered()
	got, err := c.h.submit(ctx, &m.call)
	cancel()
	if err != nil {
		return spans, err
	}
	for k, i := range missing {
		spans[i].score = got.Scores[k]
	}
	c.result.Cached += got.Cached
	c.result.Shared += got.Shared
	c.result.Computed += got.Computed
	c.result.Together += got.Together
	return spans, nil
}

// pose cuts pieces into windows, gives those their scores that are known, and makes the
// message for the others, which it returns the places of. None when nothing has to be
// computed.
func (c *classification) pose(m *pass, stage int, pieces []piece, budget int, spans []span, missing []int) ([]span, []int) {
	windows := m.windows[:0]
	for _, p := range pieces {
		from := len(windows)
		windows = c.plan(windows, c.models[stage], p, budget-from)
		for _, w := range windows[from:] {
			spans = append(spans, span{segment: p.segment, start: p.start + w.Start, end: p.start + w.End, score: -1})
		}
	}
	stop := false
	for i := range windows {
		s, ok := c.h.cache.window(windows[i].Key)
		if !ok {
			missing = append(missing, i)
			continue
		}
		spans[i].score = s
		stop = stop || c.blocks(stage, spans[i])
	}
	c.h.cfg.Observer.Cache("window", len(windows)-len(missing), len(missing))
	c.result.Cached += len(windows) - len(missing)
	if stop || len(missing) == 0 {
		return spans, nil
	}
	msg := &m.call
	msg.request.msg, msg.Promise = &msg.Classify, msg.promise.Init()
	msg.Stage, msg.Windows = stage, windows
	if len(missing) < len(windows) {
		msg.Windows = make([]inference.Window, len(missing))
		for k, i := range missing {
			msg.Windows[k] = windows[i]
		}
	}
	if stage == messages.StageJudge {
		c.blockAts(&msg.Classify, missing, spans)
	}
	return spans, missing
}

// plan appends the windows of one piece, with offsets into the piece.
func (c *classification) plan(dst []inference.Window, m *model, p piece, budget int) []inference.Window {
	text := c.segments[p.segment].Text[p.start:p.end]
	r := &c.result.Segments[p.segment]
	// A text too long for the tokenizer is read part by part.
	for at := 0; ; {
		from := len(dst)
		w, report := m.classifier.Plan(dst, text[at:], inference.PlanOptions{
			Budget: budget, Wide: m.wide && p.around == nil, Around: p.around})
		dst, budget = w, budget-(len(w)-from)
		if report.Dropped == 0 && p.around == nil && !p.again {
			c.h.pressure.noteDensity(min(report.Read, len(text)-at), w[from:])
		}
		for i := range dst[from:] {
			dst[from+i].Start += at
			dst[from+i].End += at
		}
		r.Dropped += report.Dropped
		if p.around == nil && !p.again {
			r.Machine += report.Skipped.Total()
		}
		if report.Dropped > 0 || p.around != nil || report.Read <= 0 || at+report.Read >= len(text) {
			return dst
		}
		at += report.Read
	}
}

func (c *classification) blocks(stage int, w span) bool {
	at := c.segments[w.segment].BlockAt
	return stage == messages.StageJudge && at > 0 && float64(w.score) >= at
}

// blockAts says when the request ends early: one score where all windows agree.
func (c *classification) blockAts(msg *messages.Classify, missing []int, spans []span) {
	at := func(k int) float64 { return c.segments[spans[missing[k]].segment].BlockAt }
	msg.BlockAt = at(0)
	for k := range missing {
		if at(k) != msg.BlockAt {
			msg.BlockAts = make([]float64, len(missing))
			for k := range missing {
				msg.BlockAts[k] = at(k)
			}
			return
		}
	}
}

// within bounds a wait by the deadline of the call, or by a default when neither
// the call nor the context has one, and says when it ends.
func within(ctx context.Context, deadline time.Time) (_ context.Context, until time.Time, _ context.CancelFunc) {
	until, ok := ctx.Deadline()
	switch {
	case !deadline.IsZero() && (!ok || deadline.Before(until)):
		until = deadline
	case ok:
		return ctx, until, func() {}
	default:
		until = time.Now().Add(unboundedWait)
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	return ctx, until, cancel
}

// submit sends a request to the actor and waits for its outcome or for ctx.
func (h *ModelPool) submit(ctx context.Context, m *submission) (messages.Classification, error) {
	m.request.worked = h.workedOf(m.Stage)
	h.send(m)
	got, err := m.Await(ctx)
	if err != nil {
		return got, h.unanswered(ctx, m, err)
	}
	return got, nil
}

// unanswered says what err means, and takes the request back of a caller who goes.
func (h *ModelPool) unanswered(ctx context.Context, m *submission, err error) error {
	var own *messages.ModelError
	if errors.As(err, &own) {
		return err
	}
	if fault, ok := h.mailboxFault(err); ok {
		h.cfg.Observer.Fault(fault)
		return &messages.ModelError{Fault: fault, Err: err}
	}
	fault := messages.ModelCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		switch fault = messages.ModelUnreachable; {
		case m.Started():
			fault = h.overdue(&m.request)
		case h.up.Load() == 0:
			// Not load: all workers wait for their restart.
			fault = messages.ModelLost
		}
	}
	h.send(&cancelClassify{req: &m.request, fault: fault})
	return &messages.ModelError{Fault: fault}
}

// mailboxFault translates an error of the guarding mailbox.
func (h *ModelPool) mailboxFault(err error) (messages.ModelFault, bool) {
	switch {
	case errors.Is(err, guard.ErrFull):
		return messages.ModelQueueFull, true
	case errors.Is(err, guard.ErrPanic):
		return messages.ModelPanic, true
	case errors.Is(err, guard.ErrStopped), errors.Is(err, guard.ErrDown):
		return h.view.Load().absent(), true
	}
	return 0, false
}

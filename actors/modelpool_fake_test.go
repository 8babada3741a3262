package actors

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// fakeModel scores words. A window is up to perWindow words of one line; its
// score is that of its worst word: 0.95 for the words that the canary attacks
// begin with and for "evil", else something small that depends on the words.
type fakeModel struct {
	name      string
	perWindow int
	alone     bool
	forgetful bool // keeps no shapes
	// max is where the tokenizer stops, in bytes; 0 is never.
	max        int
	tokens     int // Info().WindowTokens
	thresholds map[string]inference.Thresholds
	clear      float64

	// run, when set, is called in every forward pass before the scores are made.
	run func(control inference.RunControl, batch []inference.Window) error
	// score, when set, replaces the scoring of one window.
	score func(w inference.Window) float32

	runs, windows, tokenised, closed atomic.Int64
	active                           sync.WaitGroup
	mu                               sync.Mutex
	batches                          [][]int // lengths
}

var fakeAttack = []string{"Ignore", "IMPORTANT:", "System", "evil"}

func wordID(w string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(w))
	return int32(h.Sum32() >> 1)
}

func has(w inference.Window, word string) bool {
	id := wordID(word)
	for _, x := range w.IDs {
		if x == id {
			return true
		}
	}
	return false
}

func batchHas(batch []inference.Window, word string) bool {
	for _, w := range batch {
		if has(w, word) {
			return true
		}
	}
	return false
}

func (f *fakeModel) Info() inference.Info {
	return inference.Info{Name: f.name, ID: f.name + "-id", MaxTokens: 512, WindowTokens: f.tokens, BatchInvariant: !f.alone,
		Review: f.thresholds["default"].Review, Block: f.thresholds["default"].Block, Surfaces: f.thresholds, Clear: f.clear}
}

// Plan cuts text into windows. Wide ones hold four times as many words.
func (f *fakeModel) Plan(dst []inference.Window, text string, o inference.PlanOptions) ([]inference.Window, inference.Report) {
	f.tokenised.Add(1)
	size, at := f.perWindow, 0
	if size == 0 {
		size = 8
	}
	if o.Wide {
		size *= 4
	}
	full := text
	if f.max > 0 && len(text) > f.max {
		text = text[:f.max]
	}
	report := inference.Report{Read: len(text)}
	for line := range strings.SplitAfterSeq(text, "\n") {
		end := at + len(strings.TrimRight(line, "\n"))
		words := strings.Fields(full[at:end])
		for from := 0; from < len(words); from += size {
			if len(o.Around) > 0 && !slices.ContainsFunc(o.Around, func(s inference.Span) bool { return s.Start < end && s.End > at }) {
				continue
			}
			if o.Budget--; o.Budget < 0 {
				report.Dropped++
				continue
			}
			w := inference.Window{Start: at, End: end}
			sum := sha256.New()
			sum.Write([]byte(f.name))
			for _, word := range words[from:min(from+size, len(words))] {
				w.IDs = append(w.IDs, wordID(word))
				sum.Write(binary.LittleEndian.AppendUint32(nil, uint32(wordID(word))))
			}
			copy(w.Key[:], sum.Sum(nil))
			dst = append(dst, w)
		}
		at += len(line)
	}
	return dst, report
}

// plan is the windows of a whole text.
func (f *fakeModel) plan(text string) []inference.Window {
	w, _ := f.Plan(nil, text, inference.PlanOptions{Budget: 1 << 20})
	return w
}

// want is the score of one window, whatever runs beside it.
func (f *fakeModel) want(w inference.Window) float32 {
	if f.score != nil {
		return f.score(w)
	}
	var sum uint32
	for _, id := range w.IDs {
		for _, a := range fakeAttack {
			if id == wordID(a) {
				return 0.95
			}
		}
		sum = sum*31 + uint32(id)
	}
	return float32(sum%1000) / 10000
}

// worst is the score of a whole text.
func (f *fakeModel) worst(text string) float32 {
	worst := float32(0)
	for _, w := range f.plan(text) {
		worst = max(worst, f.want(w))
	}
	return worst
}

func (f *fakeModel) Close() error { f.closed.Add(1); return nil }

func (f *fakeModel) load(context.Context) (Classifier, error) { return f, nil }

// shapes are the batches so far, as lengths.
func (f *fakeModel) shapes() [][]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([][]int(nil), f.batches...)
}

// reset forgets what loading the model has left.
func (f *fakeModel) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batches = nil
	f.runs.Store(0)
	f.windows.Store(0)
	f.tokenised.Store(0)
}

func (f *fakeModel) note(batch []inference.Window) {
	if f.forgetful {
		return
	}
	shape := make([]int, len(batch))
	for i, w := range batch {
		shape[i] = len(w.IDs)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batches = append(f.batches, shape)
}

// Run is one forward pass.
func (f *fakeModel) Run(control inference.RunControl, batch []inference.Window) ([]float32, error) {
	f.active.Add(1)
	defer f.active.Done()
	f.runs.Add(1)
	f.windows.Add(int64(len(batch)))
	f.note(batch)
	if f.run != nil {
		if err := f.run(control, batch); err != nil {
			return nil, err
		}
	}
	out := make([]float32, len(batch))
	for i, w := range batch {
		out[i] = f.want(w)
		if f.alone {
			out[i] += float32(len(batch)-1) / 10 // a score that depends on batch mates
		}
	}
	return out, nil
}

// costs makes every pass take a fixed part and a part per padded token, unless it
// is terminated.
func costs(fixed, perToken time.Duration) func(inference.RunControl, []inference.Window) error {
	return func(control inference.RunControl, batch []inference.Window) error {
		longest := 0
		for _, w := range batch {
			longest = max(longest, len(w.IDs))
		}
		return computing(control, fixed+perToken*time.Duration(longest*len(batch)))
	}
}

// computing passes the time of a run, operator by operator. Only in a synctest
// bubble, where it takes none.
func computing(control inference.RunControl, d time.Duration) error {
	const operator = time.Millisecond
	for ; d > 0 && !control.Terminated(); d -= operator {
		time.Sleep(min(d, operator))
	}
	if control.Terminated() {
		return inference.ErrTerminated
	}
	return nil
}

// modelRecorder is an observer that counts.
type modelRecorder struct {
	mu                   sync.Mutex
	faults               map[messages.ModelFault]int
	cache                map[string][2]int
	batches              []BatchStats
	abandoned, restarted int
	queueWindows         int
	workers              [4]int
	onBatch              func()
}

func (r *modelRecorder) Queue(windows, _ int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queueWindows = windows
}

func (r *modelRecorder) Batch(b BatchStats) {
	r.mu.Lock()
	r.batches = append(r.batches, b)
	f := r.onBatch
	r.mu.Unlock()
	if f != nil {
		f()
	}
}

func (r *modelRecorder) Cache(level string, hits, misses int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.cache[level]
	r.cache[level] = [2]int{c[0] + hits, c[1] + misses}
}

func (r *modelRecorder) Fault(f messages.ModelFault) { r.mu.Lock(); defer r.mu.Unlock(); r.faults[f]++ }
func (r *modelRecorder) Abandoned()                  { r.mu.Lock(); defer r.mu.Unlock(); r.abandoned++ }
func (r *modelRecorder) Restarted()                  { r.mu.Lock(); defer r.mu.Unlock(); r.restarted++ }

func (r *modelRecorder) Workers(idle, busy, down, abandoned int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.workers = [4]int{idle, busy, down, abandoned}
}

// state reads the modelRecorder under its lock.
func (r *modelRecorder) state(f func()) { r.mu.Lock(); defer r.mu.Unlock(); f() }

func newModelRecorder() *modelRecorder {
	return &modelRecorder{faults: map[messages.ModelFault]int{}, cache: map[string][2]int{}}
}

// rig is a pool in its own actor system.
type rig struct {
	*ModelPool
	t      testing.TB
	model  *fakeModel
	rec    *modelRecorder
	sys    *actor.ActorSystem
	pid    *actor.PID
	panics atomic.Int64
	// dispatcher is the library's own when nil.
	dispatcher actor.Dispatcher

	mu      sync.Mutex
	reasons []string // "ready" or the reason, as published
	changed chan struct{}
}

// newRig starts a pool over model and stops it when the test ends. It does not
// wait until the pool is ready.
func newRig(t testing.TB, model *fakeModel, change func(*ModelPoolConfig)) *rig {
	t.Helper()
	if model.name == "" {
		model.name = "fake"
	}
	r := &rig{t: t, model: model, rec: newModelRecorder(), changed: make(chan struct{}, 1)}
	cfg := ModelPoolConfig{Judge: ModelStage{Load: model.load}, Workers: 1, Observer: r.rec,
		Random: func() float64 { return 0 },
		OnReady: func(ready bool, reason string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if ready {
				reason = "ready"
			}
			r.reasons = append(r.reasons, reason)
			select {
			case r.changed <- struct{}{}:
			default:
			}
		}}
	if change != nil {
		change(&cfg)
	}
	if b, ok := t.(*testing.B); ok {
		warm := guard.NewWarm(8)
		b.Cleanup(warm.Close)
		r.dispatcher = warm
	}
	r.ModelPool = NewModelPool(cfg)
	r.sys = guard.NewSystem(nil)
	r.spawn()
	return r
}

func (r *rig) spawn() {
	r.t.Helper()
	pid, err := r.sys.Root.SpawnNamed(r.Props(guard.Options{
		OnPanic:    func(string, any, []byte) { r.panics.Add(1) },
		Dispatcher: r.dispatcher,
	}), "modelpool")
	require.NoError(r.t, err)
	r.pid = pid
}

// stop stops the actor and frees the models.
func (r *rig) stop() {
	r.halt()
	r.Close()
	r.model.active.Wait() // what is in a run when the pool stops is told to end
}

func (r *rig) halt() { require.NoError(r.t, r.sys.Root.StopFuture(r.pid).Wait()) }

// ready waits until the pool is ready.
func (r *rig) ready() *rig {
	for {
		if _, ok, _ := r.Info(); ok {
			r.model.reset()
			return r
		}
		<-r.changed
	}
}

func (r *rig) history() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.reasons...)
}

// seg makes segments that block at 0.9.
func seg(texts ...string) []ModelSegment {
	s := make([]ModelSegment, len(texts))
	for i, t := range texts {
		s[i] = ModelSegment{Text: t, BlockAt: 0.9}
	}
	return s
}

// read classifies within a deadline of so long.
func (r *rig) read(within time.Duration, texts ...string) (ModelResult, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return r.Classify(ctx, seg(texts...), ModelLimits{})
}

// requireFault asserts the kind of an error.
func requireFault(t testing.TB, err error, want messages.ModelFault) {
	t.Helper()
	require.Error(t, err)
	got, ok := messages.ModelFaultOf(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, want.String(), got.String())
}

var notANumber = float32(math.NaN())

// busy occupies the only worker for so long with a window of its own.
func (r *rig) busy(d time.Duration) (done chan error) {
	done = make(chan error, 1)
	go func() {
		_, err := r.read(d*2, "occupy")
		done <- err
	}()
	synctest.Wait()
	return done
}

// slowly makes "occupy" take so long and everything else a moment.
func slowly(d time.Duration) func(inference.RunControl, []inference.Window) error {
	return func(control inference.RunControl, batch []inference.Window) error {
		if batchHas(batch, "occupy") {
			return costs(d, 0)(control, batch)
		}
		return costs(time.Millisecond, 0)(control, batch)
	}
}

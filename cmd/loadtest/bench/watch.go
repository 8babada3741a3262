package bench

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/actors" //nolint:depguard // the pool itself is what this command measures
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages" //nolint:depguard // as above
)

// span is a stretch of time.
type span struct{ start, end time.Time }

// watched is a classifier that notes when it computed which window. It stands
// between the pool and the model.
type watched struct {
	actors.Classifier
	on *atomic.Bool
	mu sync.Mutex // a note is far shorter than any run
	// notes are in the order of the runs' ends. They are sorted out when all is over:
	// under load a large map is as many far reaches into memory as there are windows.
	notes []note
}

// note is one run and the keys of its windows.
type note struct {
	runOf
	keys [][16]byte
}

type runOf struct {
	span
	windows int
}

// Run computes and notes.
func (w *watched) Run(control inference.RunControl, batch []inference.Window) ([]float32, error) {
	if !w.on.Load() {
		return w.Classifier.Run(control, batch)
	}
	start := time.Now()
	scores, err := w.Classifier.Run(control, batch)
	n := note{runOf: runOf{span: span{start, time.Now()}, windows: len(batch)}, keys: make([][16]byte, len(batch))}
	for i := range batch {
		n.keys[i] = batch[i].Key
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, n)
	return scores, err
}

// take returns the last run of each window, and forgets.
func (w *watched) take() map[[16]byte]runOf {
	w.mu.Lock()
	defer w.mu.Unlock()
	ran := map[[16]byte]runOf{}
	for _, n := range w.notes {
		for _, k := range n.keys {
			ran[k] = n.runOf
		}
	}
	w.notes = nil
	return ran
}

// observed is what the pool tells while it works.
type observed struct {
	mu             sync.Mutex // told on the pool's turn, a few words at a time
	batches        int
	windows        int
	tokens, padded int
	sizes          map[int]int // batches by number of windows
	wait, run      *measure.Latency
	queue          int // the most tokens that waited
}

func newObserved() *observed {
	return &observed{sizes: map[int]int{}, wait: measure.NewLatency(), run: measure.NewLatency()}
}

func (o *observed) padding() float64 {
	if o.padded == 0 {
		return 0
	}
	return float64(o.padded-o.tokens) / float64(o.padded)
}

func (o *observed) perBatch() float64 {
	if o.batches == 0 {
		return 0
	}
	return float64(o.windows) / float64(o.batches)
}

// observer passes what the pool tells on to the current observed.
type observer struct{ now atomic.Pointer[observed] }

// fresh begins anew and returns what will be filled.
func (o *observer) fresh() *observed {
	n := newObserved()
	o.now.Store(n)
	return n
}

// Batch notes one run of the judge, and of the gate.
func (o *observer) Batch(b actors.BatchStats) {
	n := o.now.Load()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.batches++
	n.windows += b.Windows
	n.tokens += b.Tokens
	n.padded += b.Padded
	n.sizes[b.Windows]++
	n.wait.Record(b.Wait)
	n.run.Record(b.Run)
}

// Fault is not needed: the answers say it.
func (o *observer) Fault(messages.ModelFault) {}

// Queue notes how much waits at most.
func (o *observer) Queue(_, tokens int) {
	n := o.now.Load()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue = max(n.queue, tokens)
}

// Cache is not needed: results say what was cached.
func (o *observer) Cache(string, int, int) {}

// Workers is not needed: no worker is expected to fail.
func (o *observer) Workers(int, int, int, int) {}

// Abandoned is not needed, as Workers.
func (o *observer) Abandoned() {}

// Restarted is not needed, as Workers.
func (o *observer) Restarted() {}

var _ actors.ModelObserver = (*observer)(nil)

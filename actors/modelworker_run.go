package actors

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
)

var errNotAScore = errors.New("not a probability")

// generations numbers jobs, worker goroutines and pool incarnations. It is one
// counter of the process: a counter that a restart resets would let the late
// answer of a dead worker pass for the answer to somebody else's question.
var generations atomic.Uint64

// The states of a job, decided once by whoever comes first: its goroutine when
// the run returned, its worker when it gave the run up.
const (
	jobRunning int32 = iota
	jobReturned
	jobAbandoned
)

// job is one batch on its way through one worker. What the worker reads is fixed
// before it is sent.
type job struct {
	gen     uint64
	model   *model
	flights []*flight
	windows []inference.Window
	tokens  int
	padded  int
	// started and begun are the pool's: when and whether it saw the worker come to the
	// job.
	started time.Time
	begun   bool
	// deadline is after when nobody waits any more.
	deadline time.Time
	probe    bool

	// control ends all passes of the job; the worker terminates it, and the pool once
	// nobody waits any more.
	control inference.RunControl
	state   atomic.Int32
}

// outcome is what came of a job.
type outcome struct {
	// scores and errs are per window; an error that is not nil goes with no score.
	scores []float32
	errs   []*messages.ModelError
	// fault, when not nil, is the error of all windows.
	fault *messages.ModelError
	// clean is a batch that ran at the first try and so says what a batch costs.
	clean bool
	// panicked means that the goroutine has ended.
	panicked bool
	took     time.Duration
}

// faultOf is the error of one window, nil when it has a score.
func (o *outcome) faultOf(window int) *messages.ModelError {
	if o.fault == nil && o.errs != nil {
		return o.errs[window]
	}
	return o.fault
}

// execute runs the job on the worker's goroutine.
func (j *job) execute() (out *outcome) {
	out = &outcome{}
	start := time.Now()
	defer func() {
		if r := recover(); r != nil {
			// The reason is not kept: it may hold what the window held.
			out = &outcome{panicked: true, fault: &messages.ModelError{Fault: messages.ModelPanic}}
		}
		out.took = time.Since(start)
	}()
	scores, err := j.score(j.windows)
	if err == nil {
		out.scores, out.clean = scores, true
		return out
	}
	if errors.Is(err, inference.ErrTerminated) {
		out.fault = &messages.ModelError{Fault: messages.ModelHung, Err: err}
		return out
	}
	// Is it the input or the runtime? A window that is known to work tells.
	if canary := j.model.canary; len(canary) > 0 {
		if _, cerr := j.score(canary[:1]); cerr != nil {
			out.fault = runtimeFault(cerr)
			return out
		}
	}
	out.scores = make([]float32, len(j.windows))
	out.errs = make([]*messages.ModelError, len(j.windows))
	j.halve(0, len(j.windows), err, out)
	return out
}

// halve retries a failed range in halves, so that in the end only the windows
// that fail alone fail: at most twice as many runs as there are windows, about
// two per level for one bad window.
func (j *job) halve(from, to int, err error, out *outcome) {
	if to-from == 1 {
		out.errs[from] = inputFault(err)
		return
	}
	middle := (from + to) / 2
	for _, half := range [][2]int{{from, middle}, {middle, to}} {
		scores, err := j.score(j.windows[half[0]:half[1]])
		if err == nil {
			copy(out.scores[half[0]:], scores)
			continue
		}
		j.halve(half[0], half[1], err, out)
	}
}

// score is one forward pass with its result checked.
func (j *job) score(windows []inference.Window) ([]float32, error) {
	scores, err := j.model.classifier.Run(j.control, windows)
	if j.control.Terminated() {
		// Whatever it returned: it was told to stop.
		return nil, inference.ErrTerminated
	}
	if err != nil {
		return nil, err
	}
	if err := checkScores(scores, len(windows)); err != nil {
		return nil, err
	}
	return scores, nil
}

func checkScores(scores []float32, want int) error {
	if len(scores) != want {
		return fmt.Errorf("%d scores for %d windows", len(scores), want)
	}
	for _, s := range scores {
		// Written so that NaN fails it; an infinity is out of range.
		if !(s >= 0 && s <= 1) {
			return errNotAScore
		}
	}
	return nil
}

func inputFault(err error) *messages.ModelError {
	switch {
	case errors.Is(err, inference.ErrTerminated):
		return &messages.ModelError{Fault: messages.ModelHung, Err: err}
	case errors.Is(err, errNotAScore), errors.Is(err, inference.ErrNotFinite):
		return &messages.ModelError{Fault: messages.ModelBadScore, Err: err}
	}
	return &messages.ModelError{Fault: messages.ModelPoison, Err: err}
}

func runtimeFault(err error) *messages.ModelError {
	if errors.Is(err, inference.ErrTerminated) {
		return &messages.ModelError{Fault: messages.ModelHung, Err: err}
	}
	return &messages.ModelError{Fault: messages.ModelRuntime, Err: err}
}

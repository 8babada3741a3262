//go:build cgo

package onnx

import (
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// Control ends Runs early. It may be shared by Runs at the same time; it is
// spent once it was terminated. The lock keeps Terminate from touching the
// native options while the last Run frees them.
type Control struct {
	mu    sync.Mutex
	ended bool
	runs  int
	opts  *ort.RunOptions // there while runs > 0
}

// NewControl returns a control that has ended nothing yet. It holds nothing
// native until a Run uses it.
func NewControl() *Control { return &Control{} }

// Terminate makes the Runs in flight return ErrTerminated as soon as their
// current operator is done, and later ones at once. It does not wait.
func (c *Control) Terminate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.opts != nil {
		// It fails only on freed options, which the lock rules out.
		_ = c.opts.Terminate()
	}
}

// Terminated reports whether Terminate was called.
func (c *Control) Terminated() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

func (c *Control) begin() (*ort.RunOptions, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, ErrTerminated
	}
	if c.opts == nil {
		opts, err := takeOptions()
		if err != nil {
			return nil, fmt.Errorf("create run options: %w", err)
		}
		c.opts = opts
	}
	c.runs++
	return c.opts, nil
}

func (c *Control) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs--
	if c.runs == 0 {
		giveOptions(c.opts, c.ended)
		c.opts = nil
	}
}

// spareOptions are run options that were not terminated, for the next runs: making and
// freeing some costs a short run a hundredth. They are given up with the last
// reference to the runtime. The lock is held for a look at a slice.
var spareOptions struct {
	sync.Mutex
	list []*ort.RunOptions
}

// mostSpare is how many are kept: more than workers on any machine would use.
const mostSpare = 64

func takeOptions() (*ort.RunOptions, error) {
	spareOptions.Lock()
	defer spareOptions.Unlock()
	if n := len(spareOptions.list); n > 0 {
		o := spareOptions.list[n-1]
		spareOptions.list = spareOptions.list[:n-1]
		return o, nil
	}
	return ort.NewRunOptions()
}

func giveOptions(o *ort.RunOptions, spent bool) {
	spareOptions.Lock()
	defer spareOptions.Unlock()
	if spent || len(spareOptions.list) >= mostSpare {
		_ = o.Destroy() // frees unconditionally
		return
	}
	spareOptions.list = append(spareOptions.list, o)
}

func dropOptions() {
	spareOptions.Lock()
	defer spareOptions.Unlock()
	for _, o := range spareOptions.list {
		_ = o.Destroy() // as above
	}
	spareOptions.list = nil
}

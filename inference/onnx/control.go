package onnx

import (
	"errors"
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// ErrTerminated is what a Run returns whose control was terminated or closed.
var ErrTerminated = errors.New("run terminated")

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
		opts, err := ort.NewRunOptions()
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
		_ = c.opts.Destroy() // frees unconditionally
		c.opts = nil
	}
}

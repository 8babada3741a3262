//go:build !cgo

package onnx

import "sync/atomic"

// Runtime is never made in a program without cgo.
type Runtime struct{}

// Open is ErrNoCgo.
func Open(string) (*Runtime, error) { return nil, ErrNoCgo }

// Version is empty.
func (*Runtime) Version() string { return "" }

// Close does nothing.
func (*Runtime) Close() error { return nil }

// NewSession opens nothing.
func (*Runtime) NewSession(SessionOptions) (*Session, error) { return nil, ErrNoCgo }

// Session is never made in a program without cgo.
type Session struct{}

// Run computes nothing.
func (*Session) Run(*Control, Batch) (logits []float32, labels int, err error) {
	return nil, 0, ErrNoCgo
}

// Close does nothing.
func (*Session) Close() error { return nil }

// Control ends Runs early, of which there are none.
type Control struct{ ended atomic.Bool }

// NewControl returns a control that has ended nothing yet.
func NewControl() *Control { return &Control{} }

// Terminate is noted.
func (c *Control) Terminate() { c.ended.Store(true) }

// Terminated reports whether Terminate was called.
func (c *Control) Terminated() bool { return c.ended.Load() }

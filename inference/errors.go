package inference

import (
	"errors"
	"fmt"

	"github.com/sallyport-mcp/sallyport/inference/onnx"
)

// LoadError says why a model directory was refused.
type LoadError struct {
	// File is the file at fault, or the directory.
	File string
	// Reason is what was found.
	Reason string
	// Want is what was expected, empty where the reason says it.
	Want string
	// Err is the underlying error, if there is one.
	Err error
}

func (e *LoadError) Error() string {
	s := fmt.Sprintf("load model %q: %s", e.File, e.Reason)
	if e.Want != "" {
		s += "; want " + e.Want
	}
	return s
}

func (e *LoadError) Unwrap() error { return e.Err }

var (
	// ErrTerminated is what Run returns when its control was terminated.
	ErrTerminated = onnx.ErrTerminated
	// ErrClosed is what Run returns after Close.
	ErrClosed = onnx.ErrClosed
	// ErrNotFinite is inside the error of a Run whose model answered NaN or
	// infinity.
	ErrNotFinite = errors.New("score is not a finite number")
	// ErrInput is inside the error of a Run that was refused before it
	// reached the model.
	ErrInput = errors.New("invalid window")
)

// WindowError says which window of a batch made a Run fail.
type WindowError struct {
	// Index is the window's place in the batch.
	Index int
	Err   error
}

func (e *WindowError) Error() string { return fmt.Sprintf("window %d: %v", e.Index, e.Err) }

func (e *WindowError) Unwrap() error { return e.Err }

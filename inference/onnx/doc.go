// Package onnx runs classifiers through the ONNX Runtime library.
//
// It owns the process-global runtime environment (opened by reference count,
// so that several engines share it), sessions that outlive their Close until
// the last Run returned, the control that ends a Run early, and a reader of
// the head of a model file.
//
// It never tokenizes, never decides what a score means, and never picks
// threads for itself: a session runs on the goroutine that calls it.
//
// The library is called through cgo. In a program that was built without it, Open is
// ErrNoCgo and nothing runs.
//
// Package inference is its caller.
package onnx

package onnx

import "errors"

var (
	// ErrClosed is what a Run returns on a session that was closed.
	ErrClosed = errors.New("session is closed")
	// ErrTerminated is what a Run returns whose control was terminated.
	ErrTerminated = errors.New("run terminated")
	// ErrNoCgo is why a program that was built without cgo opens no runtime: the library
	// is called through it. Everything else of the program works.
	ErrNoCgo = errors.New("the program was built without cgo")
)

// The names of a classifier's inputs in the exports of the Hugging Face
// libraries.
const (
	InputIDs      = "input_ids"
	AttentionMask = "attention_mask"
	TokenTypeIDs  = "token_type_ids"
)

// SessionOptions says which model to open and how.
type SessionOptions struct {
	// Path is the model's file. Opening by path keeps the weights out of the
	// Go heap and finds external data beside the file.
	Path string
	// Data is the model itself, for embedded ones; used when Path is empty.
	Data []byte
	// Inputs are the names to feed: InputIDs, AttentionMask and, where the
	// model has it, TokenTypeIDs (always zeros), in the order of the model.
	Inputs []string
	// Output is the name of the output [batch, labels] of floats.
	Output string
	// IntraThreads is the number of threads that one Run may use, 1 when
	// zero. With one, Run works on the caller's thread alone.
	IntraThreads int
}

// Batch is rows of token ids, padded to one length.
type Batch struct {
	Rows, Length int
	// IDs and Mask are Rows*Length long; Mask is 1 on tokens, 0 on padding.
	IDs, Mask []int64
}

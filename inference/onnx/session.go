//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// Session is an open model, safe for concurrent use. It holds a reference to
// the runtime. Freeing a native session during a run kills the process, so
// Close only gives up the owner's share: the last Run frees it. The lock
// guards that count; a session is shared by workers and owned by none.
type Session struct {
	inputs []string

	mu     sync.Mutex
	runs   int
	closed bool
	native *ort.DynamicAdvancedSession
}

// NewSession opens a model.
func (r *Runtime) NewSession(o SessionOptions) (*Session, error) {
	options, err := nativeOptions(max(1, o.IntraThreads))
	if err != nil {
		return nil, fmt.Errorf("session options: %w", err)
	}
	defer func() { _ = options.Destroy() }() // copied into the session
	outputs := []string{o.Output}
	var native *ort.DynamicAdvancedSession
	if o.Path != "" {
		native, err = ort.NewDynamicAdvancedSession(o.Path, o.Inputs, outputs, options)
	} else {
		native, err = ort.NewDynamicAdvancedSessionWithONNXData(o.Data, o.Inputs, outputs, options)
	}
	if err != nil {
		return nil, plain(err)
	}
	retainEnvironment()
	return &Session{inputs: o.Inputs, native: native}, nil
}

func nativeOptions(threads int) (*ort.SessionOptions, error) {
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		o.SetIntraOpNumThreads(threads),
		o.SetLogSeverityLevel(ort.LoggingLevelFatal),
		// Idle threads would spin for work: twice the processor time on a
		// busy host, and a core burnt on an idle one.
		o.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		o.AddSessionConfigEntry("session.inter_op.allow_spinning", "0"),
	)
	if err != nil {
		_ = o.Destroy()
		return nil, err
	}
	return o, nil
}

// Run computes the logits of a batch, row by row: len = Rows*labels. It runs on
// the caller's goroutine and blocks its thread. control may be nil. The error
// is ErrTerminated, ErrClosed, or the runtime's.
func (s *Session) Run(control *Control, b Batch) (logits []float32, labels int, err error) {
	if n := b.Rows * b.Length; n < 1 || len(b.IDs) != n || len(b.Mask) != n {
		return nil, 0, fmt.Errorf("batch of %d by %d has %d ids and %d mask bits", b.Rows, b.Length, len(b.IDs), len(b.Mask))
	}
	native, err := s.acquire()
	if err != nil {
		return nil, 0, err
	}
	defer s.release()
	var opts *ort.RunOptions
	if control != nil {
		if opts, err = control.begin(); err != nil {
			return nil, 0, err
		}
		defer control.end()
	}
	logits, labels, err = s.run(native, opts, b)
	if err != nil && control != nil && control.Terminated() {
		return nil, 0, ErrTerminated
	}
	return logits, labels, err
}

func (s *Session) run(native *ort.DynamicAdvancedSession, opts *ort.RunOptions, b Batch) ([]float32, int, error) {
	shape := ort.NewShape(int64(b.Rows), int64(b.Length))
	inputs := make([]ort.Value, 0, 3)
	defer func() {
		for _, v := range inputs {
			_ = v.Destroy()
		}
	}()
	for _, name := range s.inputs {
		data := b.IDs
		switch name {
		case AttentionMask:
			data = b.Mask
		case TokenTypeIDs:
			data = make([]int64, len(b.IDs))
		}
		tensor, err := ort.NewTensor(shape, data)
		if err != nil {
			return nil, 0, plain(err)
		}
		inputs = append(inputs, tensor)
	}
	outputs := []ort.Value{nil} // made by the runtime, whatever its shape
	var err error
	if opts != nil {
		err = native.RunWithOptions(inputs, outputs, opts)
	} else {
		err = native.Run(inputs, outputs)
	}
	if err != nil {
		return nil, 0, plain(err)
	}
	defer func() { _ = outputs[0].Destroy() }()
	out, ok := outputs[0].(*ort.Tensor[float32])
	if !ok {
		return nil, 0, fmt.Errorf("output is %T, want 32-bit floats", outputs[0])
	}
	dims := out.GetShape()
	if len(dims) != 2 || dims[0] != int64(b.Rows) || dims[1] < 1 {
		return nil, 0, fmt.Errorf("output has the shape %v, want [%d, labels]", []int64(dims), b.Rows)
	}
	return append([]float32(nil), out.GetData()...), int(dims[1]), nil
}

func (s *Session) acquire() (*ort.DynamicAdvancedSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	s.runs++
	return s.native, nil
}

func (s *Session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs--
	if s.closed && s.runs == 0 {
		_ = s.free() // Close has returned: there is nobody to tell
	}
}

// Close lets no further Run in and frees the model, at once when idle, else
// when the last Run returns. It does not wait. Further calls do nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.runs > 0 {
		return nil
	}
	return s.free()
}

func (s *Session) free() error {
	err := s.native.Destroy()
	s.native = nil
	return errors.Join(err, releaseEnvironment())
}

// plain strips the colours that the runtime puts into some texts and the
// capital that the wrapper begins with.
func plain(err error) error {
	text := err.Error()
	for {
		i := strings.Index(text, "\x1b[")
		if i < 0 {
			break
		}
		end := strings.IndexByte(text[i:], 'm')
		if end < 0 {
			break
		}
		text = text[:i] + text[i+end+1:]
	}
	return errors.New(strings.TrimSpace(strings.TrimPrefix(text, "Error ")))
}

//go:build cgo

package onnx

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func openSession(t testing.TB, model string) *Session {
	t.Helper()
	s, err := runtimeOf(t).NewSession(SessionOptions{
		Path: filepath.Join(testModels, model+".onnx"), Inputs: []string{InputIDs, AttentionMask}, Output: "logits",
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func batch(rows, length int, id int64) Batch {
	b := Batch{Rows: rows, Length: length, IDs: make([]int64, rows*length), Mask: make([]int64, rows*length)}
	for i := range b.IDs {
		b.IDs[i], b.Mask[i] = id, 1
	}
	return b
}

// slowID is the id of the slow token in the test vocabulary: behind 4 control
// tokens, the mark, 64 characters, 14 loud words and the one that is NaN.
func slowID(t *testing.T) int64 {
	t.Helper()
	return 4 + 1 + 64 + 14 + 1
}

func TestRun(t *testing.T) {
	s := openSession(t, "model")
	logits, labels, err := s.Run(nil, batch(3, 7, 1))
	require.NoError(t, err)
	require.Equal(t, 2, labels)
	require.Equal(t, []float32{2.5, -2.5, 2.5, -2.5, 2.5, -2.5}, logits)

	_, _, err = s.Run(nil, batch(1, 4, 1<<40))
	require.Error(t, err, "an id outside the embedding")
	require.NotContains(t, err.Error(), "\x1b")
	_, _, err = s.Run(NewControl(), Batch{})
	require.Error(t, err, "nothing to run")
	_, _, err = s.Run(nil, Batch{Rows: 2, Length: 3, IDs: make([]int64, 6), Mask: make([]int64, 4)})
	require.Error(t, err, "a mask too short")
	_, _, err = s.Run(nil, batch(1, 2, 1))
	require.NoError(t, err, "errors spoil nothing")
}

func TestNewSessionErrors(t *testing.T) {
	r := runtimeOf(t)
	refs := environment.refs
	for name, o := range map[string]SessionOptions{
		"missing file": {Path: "/nonexistent.onnx", Inputs: []string{InputIDs}, Output: "logits"},
		"no model":     {Data: []byte("not a model"), Inputs: []string{InputIDs}, Output: "logits"},
		"empty":        {Data: []byte{}, Inputs: []string{InputIDs}, Output: "logits"},
		"wrong opset":  {Path: filepath.Join(testModels, "opset-99.onnx"), Inputs: []string{InputIDs, AttentionMask}, Output: "logits"},
	} {
		_, err := r.NewSession(o)
		require.Error(t, err, name)
		require.Equal(t, refs, environment.refs, name)
	}
}

func TestTerminateReachesARunInFlight(t *testing.T) {
	s := openSession(t, "slow")
	control := NewControl()
	done := make(chan error)
	go func() {
		_, _, err := s.Run(control, batch(1, 4, slowID(t)))
		done <- err
	}()
	inFlight := func() bool {
		control.mu.Lock()
		defer control.mu.Unlock()
		return control.runs > 0
	}
	for !inFlight() {
		runtime.Gosched()
	}
	control.Terminate()
	require.ErrorIs(t, <-done, ErrTerminated)
	require.Nil(t, control.opts, "nothing native is left")
	_, _, err := s.Run(control, batch(1, 4, 1))
	require.ErrorIs(t, err, ErrTerminated)
	_, _, err = s.Run(NewControl(), batch(1, 4, 1))
	require.NoError(t, err, "the session is as good as before")
}

// Freeing a session during a run kills the process: Close must leave that to
// the run.
func TestCloseLeavesTheSessionToTheLastRun(t *testing.T) {
	r := runtimeOf(t)
	s, err := r.NewSession(SessionOptions{Path: filepath.Join(testModels, "slow.onnx"), Inputs: []string{InputIDs, AttentionMask}, Output: "logits"})
	require.NoError(t, err)
	refs := environment.refs
	control := NewControl()
	done := make(chan error)
	go func() {
		_, _, err := s.Run(control, batch(1, 4, slowID(t)))
		done <- err
	}()
	running := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.runs > 0
	}
	for !running() {
		runtime.Gosched()
	}
	require.NoError(t, s.Close())
	require.NotNil(t, s.native, "still running")
	require.Equal(t, refs, environment.refs)
	_, _, err = s.Run(nil, batch(1, 1, 1))
	require.ErrorIs(t, err, ErrClosed)
	control.Terminate()
	require.ErrorIs(t, <-done, ErrTerminated)
	require.Nil(t, s.native)
	require.Equal(t, refs-1, environment.refs)
	require.NoError(t, s.Close())
}

func TestOneControlForManyRuns(t *testing.T) {
	s := openSession(t, "slow")
	control := NewControl()
	done := make(chan error)
	for range 3 {
		go func() {
			_, _, err := s.Run(control, batch(1, 4, slowID(t)))
			done <- err
		}()
	}
	control.Terminate()
	for range 3 {
		require.ErrorIs(t, <-done, ErrTerminated)
	}
	require.Zero(t, control.runs)
}

func BenchmarkRun(b *testing.B) {
	s := openSession(b, "model")
	in := batch(4, 64, 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := s.Run(nil, in); err != nil {
			b.Fatal(err)
		}
	}
}

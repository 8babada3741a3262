//go:build cgo

package onnx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Run options go from run to run, but never those that ended one, and none outlives
// the runtime.
func TestRunOptionsAreUsedAgain(t *testing.T) {
	s := openSession(t, "slow")
	dropOptions() // of other tests
	run := func(control *Control) {
		_, _, err := s.Run(control, batch(1, 4, 5))
		require.NoError(t, err)
	}
	run(NewControl())
	require.Len(t, spareOptions.list, 1)
	kept := spareOptions.list[0]
	run(NewControl())
	require.Len(t, spareOptions.list, 1)
	require.Same(t, kept, spareOptions.list[0])

	control := NewControl()
	done := make(chan error)
	go func() {
		_, _, err := s.Run(control, batch(1, 4, slowID(t)))
		done <- err
	}()
	control.Terminate()
	require.ErrorIs(t, <-done, ErrTerminated)
	for _, o := range spareOptions.list {
		require.Same(t, kept, o, "only those that ended nothing")
	}
	run(NewControl())

	for range mostSpare + 1 {
		o, err := takeOptions()
		require.NoError(t, err)
		defer giveOptions(o, false)
	}
	require.Empty(t, spareOptions.list)
}

func TestSpareRunOptionsAreBoundedAndGivenUp(t *testing.T) {
	s := openSession(t, "model")
	_, _, err := s.Run(NewControl(), batch(1, 4, 5))
	require.NoError(t, err)
	require.LessOrEqual(t, len(spareOptions.list), mostSpare)
	dropOptions()
	require.Empty(t, spareOptions.list)
	_, _, err = s.Run(NewControl(), batch(1, 4, 5))
	require.NoError(t, err)
}

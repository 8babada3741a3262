//go:build !cgo

package onnx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Without cgo nothing opens, everything says why, and nothing panics.
func TestWithoutCgo(t *testing.T) {
	r, err := Open("")
	require.ErrorIs(t, err, ErrNoCgo)
	require.NoError(t, r.Close())
	s, err := r.NewSession(SessionOptions{})
	require.ErrorIs(t, err, ErrNoCgo)
	control := NewControl()
	_, _, err = s.Run(control, Batch{})
	require.ErrorIs(t, err, ErrNoCgo)
	require.NoError(t, s.Close())
	require.False(t, control.Terminated())
	control.Terminate()
	require.True(t, control.Terminated())
}

package main

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// A part of the start that waits for ever is left at a stop; one that ends hands back
// its error and the signals that did not ask for a stop.
func TestUnlessStopped(t *testing.T) {
	s := &sidecar{log: zap.NewNop()}
	for _, stop := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		signals, never := make(chan os.Signal, 2), make(chan struct{})
		signals <- syscall.SIGHUP
		signals <- stop
		missed, stopped, err := s.unlessStopped(signals, func() error { <-never; return nil })
		require.Empty(t, missed)
		require.True(t, stopped)
		require.NoError(t, err)
		close(never)
	}

	signals, wrong := make(chan os.Signal), errors.New("wrong")
	missed, stopped, err := s.unlessStopped(signals, func() error {
		signals <- syscall.SIGHUP
		signals <- syscall.SIGUSR1 // taken: so the one before is kept
		return wrong
	})
	require.Equal(t, []os.Signal{syscall.SIGHUP, syscall.SIGUSR1}, missed)
	require.False(t, stopped)
	require.ErrorIs(t, err, wrong)
}

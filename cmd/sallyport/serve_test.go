package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/internal/config"
	"github.com/sallyport-mcp/sallyport/internal/early"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
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
		signals <- early.Reopen // taken: so the one before is kept
		return wrong
	})
	require.Equal(t, []os.Signal{syscall.SIGHUP, early.Reopen}, missed)
	require.False(t, stopped)
	require.ErrorIs(t, err, wrong)
}

// A sidecar that was never ready and whose models hang gives up; any other waits.
func TestHopeless(t *testing.T) {
	hangs := fmt.Errorf("load: %w", sallyport.ErrModelHangs)
	require.ErrorIs(t, hopeless(sallyport.Warming, hangs), sallyport.ErrModelHangs)
	require.NoError(t, hopeless(sallyport.Warming, nil))
	require.NoError(t, hopeless(sallyport.Warming, errors.New("no such file")), "it may come")
	for _, phase := range []sallyport.LifecyclePhase{sallyport.Starting, sallyport.Degraded, sallyport.Draining} {
		require.NoError(t, hopeless(phase, hangs), phase)
	}
}

// What a sidecar gave up for is what its end says; an end that was asked for says nothing.
func TestTheEndSaysWhatWasGivenUpFor(t *testing.T) {
	for _, why := range []error{nil, sallyport.ErrModelHangs} {
		cfg := sallyport.DefaultConfig()
		cfg.Drain = 0
		engine, err := sallyport.New(cfg)
		require.NoError(t, err)
		s := &sidecar{log: zap.NewNop(), engine: engine}
		s.settings.Store(&config.Settings{ShutdownGrace: time.Hour})
		ctx, giveUp := context.WithCancelCause(t.Context())
		giveUp(why)
		require.ErrorIs(t, s.wait(ctx, nil, nil), why)
	}
}

// A part of the start that takes its time is told of, once.
func TestASlowStartIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		s := &sidecar{log: zap.New(core)}
		for _, takes := range []time.Duration{slow / 2, 3 * slow} {
			_, _, err := s.unlessStopped(nil, func() error { time.Sleep(takes); return nil })
			require.NoError(t, err)
		}
		require.Len(t, logs.FilterMessage(telemetry.MsgStartSlow).All(), 1)
	})
}

package messages

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestClassifyShowsNothingOfTheText(t *testing.T) {
	m := &Classify{
		Promise: guard.NewPromise[Classification](),
		Windows: []inference.Window{{IDs: []int32{77123, 77124}, Start: 5, End: 9}},
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("lost", "message", m)
	for _, s := range []string{m.String(), log.String(), fmt.Sprintf("%v", m), fmt.Sprintf("%+v", m),
		fmt.Sprintf("%#v", m), fmt.Sprintf("%s", m), fmt.Sprintf("%d", m), fmt.Sprintf("%x", m)} {
		require.NotContains(t, s, "77123")
		require.NotContains(t, s, fmt.Sprintf("%x", 77123))
	}
	require.Equal(t, "classify(windows=1 stage=0)", m.String())
}

func TestModelFaults(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range ModelFaults() {
		require.False(t, seen[f.String()])
		seen[f.String()] = true
	}
	require.Equal(t, "unknown", ModelFault(200).String())
	samples := []string{}
	for _, f := range ModelFaults() {
		if f.Sample() {
			samples = append(samples, f.String())
		}
	}
	require.Equal(t, []string{"lost", "timeout", "panic", "hung", "runtime"}, samples)
}

func TestModelError(t *testing.T) {
	cause := errors.New("exit status 3")
	err := fmt.Errorf("read: %w", &ModelError{Fault: ModelRuntime, Err: cause})
	require.ErrorIs(t, err, cause)
	require.Equal(t, "read: classify: runtime: exit status 3", err.Error())
	f, ok := ModelFaultOf(err)
	require.True(t, ok)
	require.Equal(t, ModelRuntime, f)
	_, ok = ModelFaultOf(cause)
	require.False(t, ok)
	require.Equal(t, "classify: lost", (&ModelError{Fault: ModelLost}).Error())
}

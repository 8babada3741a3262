package sallyport

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	zapobserver "go.uber.org/zap/zaptest/observer"

	"github.com/sallyport-mcp/sallyport/decision"
)

// A panic is told apart in the log and refused, and what it says is told to nobody: it
// may quote the payload, around words of the runtime too.
func TestAPanicIsNamedWithoutItsText(t *testing.T) {
	core, logged := zapobserver.New(zap.DebugLevel)
	cfg := DefaultConfig()
	cfg.Logger = zap.New(core)
	e, err := New(cfg)
	require.NoError(t, err)
	r := newRun(e, &Exchange{}, decision.Request)
	var v Verdict
	r.recover(fmt.Errorf("read %q: %w", "the payload", runtimeError(nil)), &v)
	require.Equal(t, decision.Error, v.Outcome)
	lines := logged.FilterMessage("exchange panicked").All()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0].ContextMap()["panic"], "index out of range")
	for _, text := range []string{fmt.Sprint(lines[0].ContextMap()["panic"]), fmt.Sprint(r.in.Faults), v.Reason, v.Cause} {
		require.NotContains(t, text, "payload")
	}
}

// runtimeError is what the runtime says of the first element of an empty list.
func runtimeError(empty []int) (err error) {
	defer func() { err, _ = recover().(error) }()
	_ = empty[0]
	return nil
}

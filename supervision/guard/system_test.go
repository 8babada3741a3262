package guard_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestSystemLogsFromWarnUp(t *testing.T) {
	var out bytes.Buffer
	s := guard.NewSystem(slog.New(slog.NewTextHandler(&out, nil)))
	s.Logger().Info("actor system started")
	s.Logger().With("k", "v").WithGroup("g").Info("dead letter")
	require.Empty(t, out.String())
	s.Logger().With("k", "v").WithGroup("g").Warn("spawn failed", "n", 1)
	require.Contains(t, out.String(), "k=v")
	require.Contains(t, out.String(), "g.n=1")
	guard.NewSystem(nil).Logger().Error("nowhere")
}

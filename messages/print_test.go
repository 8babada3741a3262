package messages_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Whatever a library, a host or a careless log line does with a message that was
// lost, its content does not show.
func TestMessagesPrintNoContent(t *testing.T) {
	const secret = "AKIAIOSFODNN7"
	exchange := &decision.Exchange{Body: []byte(secret), Principal: secret, Meta: map[string]any{"k": secret}}
	verdict := decision.Verdict{Body: []byte(secret)}
	resolved := guard.NewPromise[decision.Verdict]()
	resolved.Resolve(verdict)
	for _, m := range []any{
		&messages.Check{Exchange: exchange, Tag: secret},
		&messages.Check{Promise: resolved, Exchange: exchange},
		&messages.Append{Record: &audit.Record{Principal: secret, Tool: secret}},
		&messages.Observe{Promise: guard.NewPromise[[]messages.PinFinding](), Service: secret},
		&messages.Advance{Promise: nil},
		&messages.Checked{Verdict: verdict},
	} {
		var out bytes.Buffer
		for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
			slog.New(h).Warn("lost", "message", m)
		}
		fmt.Fprintf(&out, "%v %+v %#v %s", m, m, m, m)
		require.NotContains(t, out.String(), secret, "%T", m)
		require.NotContains(t, out.String(), "65 75 73 65", "%T", m)
	}
}

func TestNamesOfEnumerations(t *testing.T) {
	require.Equal(t, "starting warming serving degraded draining stopping stopped unknown", join(8, func(i int) string { return messages.Phase(i).String() }))
	require.Equal(t, "drift shadowed confusable unpinned unknown", join(5, func(i int) string { return messages.PinKind(i).String() }))
	require.True(t, messages.Serving.Ready())
	require.False(t, messages.Degraded.Final())
	require.True(t, messages.Draining.Final())
}

func join(n int, name func(int) string) string {
	var out string
	for i := range n {
		if i > 0 {
			out += " "
		}
		out += name(i)
	}
	return out
}

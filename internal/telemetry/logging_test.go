package telemetry

import (
	"bytes"
	"encoding/json/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func TestLoggerWritesJSONLines(t *testing.T) {
	var out bytes.Buffer
	level := zap.NewAtomicLevelAt(zap.InfoLevel)
	log := NewLogger(zapcore.AddSync(&out), level)
	log.Debug(MsgServing)
	require.Empty(t, out.String())
	log.Info(MsgStopped, zap.Duration(KeyDuration, 1500*time.Millisecond), Text(KeyMethod, "a\nb\x1b[2J\u009b"))
	level.SetLevel(zap.DebugLevel)
	log.Debug(MsgServing)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &got))
	ts, err := time.Parse(time.RFC3339Nano, got["ts"].(string))
	require.NoError(t, err)
	require.False(t, ts.IsZero())
	delete(got, "ts")
	require.Equal(t, map[string]any{"level": "info", "msg": MsgStopped, "duration": "1.5s", "method": "a\ufffdb\ufffd[2J\ufffd"}, got)
}

func TestLoggerDoesNotRepeatItselfForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := NewLogger(zapcore.AddSync(&out), zap.NewAtomicLevelAt(zap.InfoLevel))
		for range logBurst + 10*logEvery {
			log.Warn(MsgAuditFailing)
		}
		log.Warn(MsgServing)
		require.Equal(t, logBurst+10, strings.Count(out.String(), MsgAuditFailing))
		require.Equal(t, 1, strings.Count(out.String(), MsgServing), "one message does not silence another")
		time.Sleep(time.Second)
		log.Warn(MsgAuditFailing)
		require.Equal(t, logBurst+11, strings.Count(out.String(), MsgAuditFailing))
	})
}

func TestTextIsCapped(t *testing.T) {
	require.Equal(t, strings.Repeat("x", maxLogText), printable(strings.Repeat("x", maxLogText)))
	require.Equal(t, strings.Repeat("x", maxLogText)+"…+1", printable(strings.Repeat("x", maxLogText+1)))
	require.Equal(t, strings.Repeat("x", maxLogText-1)+"…+2", printable(strings.Repeat("x", maxLogText-1)+"é"))
	require.Equal(t, "\ufffd", printable("\xff"))
}

package telemetry

import (
	"bytes"
	"encoding/json/v2"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// stalled is a pipe whose reader has stopped until told to go on.
type stalled struct {
	began, goOn chan struct{}
	once        sync.Once

	mu      sync.Mutex
	written bytes.Buffer
}

func (s *stalled) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.began) })
	<-s.goOn
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.Write(p)
}

// A log that nobody reads holds up neither who logs nor who waits for the last line, and
// says afterwards how many lines there was no room for.
func TestLogThatNobodyReadsHoldsUpNobody(t *testing.T) {
	pipe := &stalled{began: make(chan struct{}), goOn: make(chan struct{})}
	w := NewLogWriter(pipe)
	log := NewLogger(w, zap.NewAtomicLevel())
	log.Info("first")
	<-pipe.began // it is out of the queue and waits
	for i := range logQueue + 5 {
		log.Info(fmt.Sprint("line ", i)) // each its own message, as equal ones are sampled
	}
	require.Error(t, w.Sync())

	close(pipe.goOn)
	for w.Sync() != nil { // there was no room for the question either
	}
	require.NoError(t, w.Shutdown())
	lines := bytes.Split(bytes.TrimSpace(pipe.written.Bytes()), []byte("\n"))
	require.Len(t, lines, 1+logQueue+1)
	var lost struct {
		Level string `json:"level"`
		Msg   string `json:"msg"`
		Count int    `json:"count"`
	}
	require.NoError(t, json.Unmarshal(lines[1], &lost))
	require.Equal(t, MsgLogLost, lost.Msg)
	require.Equal(t, "warn", lost.Level)
	require.Equal(t, 5, lost.Count)
}

package telemetry

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// logQueue is how many lines wait for a reader that has stopped reading.
	logQueue = 1024
	// logFlush is the longest that Sync waits for them.
	logFlush = 250 * time.Millisecond
)

// LogWriter writes log lines without ever holding up who logs: standard error is most often a pipe, and whoever reads it can
// stop while somebody waits for an answer, or for the process to end. Lines beyond the bound are dropped, and their number is a
// line of its own once there is room.
type LogWriter struct {
	to    io.Writer
	queue chan logItem
	lost  atomic.Int64
}

// logItem is a line, or a question whether all before it are written.
type logItem struct {
	line  []byte
	asked chan<- struct{}
}

// NewLogWriter starts a goroutine that writes to w and ends with Shutdown.
func NewLogWriter(w io.Writer) *LogWriter {
	l := &LogWriter{to: w, queue: make(chan logItem, logQueue)}
	go l.run()
	return l
}

// Write queues a line or drops it; it never fails and never waits.
func (l *LogWriter) Write(line []byte) (int, error) {
	select {
	case l.queue <- logItem{line: append([]byte(nil), line...)}:
	default:
		l.lost.Add(1)
	}
	return len(line), nil
}

// Sync waits until what is queued is written, a quarter of a second at most.
func (l *LogWriter) Sync() error {
	ctx, cancel := context.WithTimeout(context.Background(), logFlush)
	defer cancel()
	written := make(chan struct{})
	select {
	case l.queue <- logItem{asked: written}:
	case <-ctx.Done():
		return fmt.Errorf("write log: %w", ctx.Err())
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("write log: %w", ctx.Err())
	}
}

// Shutdown is Sync, and the end. Nothing may be written after it.
func (l *LogWriter) Shutdown() error {
	defer close(l.queue)
	return l.Sync()
}

func (l *LogWriter) run() {
	for item := range l.queue {
		if item.asked != nil {
			close(item.asked)
			continue
		}
		_, _ = l.to.Write(item.line) // there is nobody to tell
		if n := l.lost.Swap(0); n > 0 {
			_, _ = fmt.Fprintf(l.to, `{"level":"warn","ts":%q,"msg":%q,%q:%d}`+"\n", time.Now().Format(time.RFC3339Nano), MsgLogLost, KeyCount, n)
		}
	}
}

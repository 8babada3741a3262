package actors

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// fakeSink keeps what was written.
type fakeSink struct {
	mu      sync.Mutex
	lines   []audit.Record
	err     error
	panics  bool
	hold    chan struct{} // Append waits for it
	flushes int
	reopens int
	closes  int

	flushErr, reopenErr error
}

func (s *fakeSink) set(f func()) { s.mu.Lock(); defer s.mu.Unlock(); f() }

func (s *fakeSink) Append(r *audit.Record) error {
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		<-hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.panics {
		s.panics = false
		panic("in append")
	}
	if s.err != nil {
		return s.err
	}
	s.lines = append(s.lines, *r)
	return nil
}

func (s *fakeSink) Flush() (err error)  { s.set(func() { s.flushes++; err = s.flushErr }); return err }
func (s *fakeSink) Reopen() (err error) { s.set(func() { s.reopens++; err = s.reopenErr }); return err }
func (s *fakeSink) Close() error        { s.set(func() { s.closes++ }); return nil }

func (s *fakeSink) count(n *int) (v int) { s.set(func() { v = *n }); return v }

func (s *fakeSink) refs() (refs []string) {
	s.set(func() {
		for _, l := range s.lines {
			if l.Event == audit.EventGap {
				refs = append(refs, "gap")
			} else {
				refs = append(refs, l.Ref)
			}
		}
	})
	return refs
}

func rec(ref string) *audit.Record { return &audit.Record{Ref: ref} }

func newTestAudit(s *testStage, sink AuditSink, capacity int) (*Audit, *[]error) {
	var lost []error
	a := NewAudit(AuditConfig{Sink: sink, Capacity: capacity, OnLost: func(err error) { lost = append(lost, err) }})
	s.spawn(a.Props(guard.Options{}))
	return a, &lost
}

func TestAuditWritesInOrderAndFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{}
		a, _ := newTestAudit(newTestStage(t), sink, 10)
		for _, ref := range []string{"a", "b", "c"} {
			require.NoError(t, a.Append(rec(ref)))
		}
		require.NoError(t, a.Flush(t.Context()))
		require.Equal(t, []string{"a", "b", "c"}, sink.refs())
		require.Equal(t, 1, sink.count(&sink.flushes))
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		require.Equal(t, 11, sink.count(&sink.flushes), "about once a second")
		require.NoError(t, a.Reopen(t.Context()))
		require.Equal(t, 11, sink.count(&sink.reopens), "ten times by itself")
		require.NoError(t, a.Append(rec("d")))
		require.NoError(t, a.Close(t.Context()))
		require.NoError(t, a.Close(t.Context()))
		require.Equal(t, 1, sink.count(&sink.closes))
		require.NoError(t, a.Append(rec("late")))
		require.NoError(t, a.Flush(t.Context()))
		require.Equal(t, []string{"a", "b", "c", "d"}, sink.refs())
		require.EqualValues(t, 1, a.Lost())
		require.Zero(t, a.Queued())
	})
}

// Calls fill the queue for each other, and not for what the replica says of itself.
func TestAuditKeepsRoomForWhatIsNoExchange(t *testing.T) {
	for _, capacity := range []int{1, 3, 8} {
		synctest.Test(t, func(t *testing.T) {
			sink := &fakeSink{hold: make(chan struct{})}
			a, _ := newTestAudit(newTestStage(t), sink, capacity)
			for range capacity {
				require.NoError(t, a.Append(rec("call")))
			}
			require.ErrorIs(t, a.Append(rec("refused")), guard.ErrFull)
			reserve := 0
			for a.Append(&audit.Record{Event: audit.EventStop}) == nil {
				reserve++
			}
			require.Equal(t, (capacity+3)/4, reserve, "a quarter, and no more than that")
			require.ErrorIs(t, a.Append(rec("refused")), guard.ErrFull)
			sink.set(func() { close(sink.hold); sink.hold = nil })
			require.NoError(t, a.Flush(t.Context()))
			stops := 0
			sink.set(func() {
				for _, l := range sink.lines {
					if l.Event == audit.EventStop {
						stops++
					}
				}
			})
			require.Equal(t, reserve, stops)
			require.NotContains(t, sink.refs(), "refused")
		})
	}
}

func TestAuditRefusesAtOnceWhenFullAndConfessesTheGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{hold: make(chan struct{})}
		a, lost := newTestAudit(newTestStage(t), sink, 3)
		for _, ref := range []string{"a", "b", "c"} {
			require.NoError(t, a.Append(rec(ref)))
		}
		synctest.Wait() // the sink holds the first, so that both losses are in one gap
		require.NoError(t, a.Failing())
		require.ErrorIs(t, a.Append(rec("d")), guard.ErrFull)
		require.ErrorIs(t, a.Failing(), guard.ErrFull, "nobody would hear of a sink that hangs")
		require.ErrorIs(t, a.Append(rec("e")), guard.ErrFull)
		require.Equal(t, 3, a.Queued())
		sink.set(func() { close(sink.hold); sink.hold = nil })
		synctest.Wait()
		require.NoError(t, a.Failing())
		require.NoError(t, a.Append(rec("f")))
		synctest.Wait()
		require.Len(t, *lost, 2)
		require.EqualValues(t, 2, a.Lost())
		require.Contains(t, sink.refs(), "gap")
		sink.set(func() {
			for _, l := range sink.lines {
				if l.Event == audit.EventGap {
					require.EqualValues(t, 2, l.Count)
				}
			}
		})
		require.Contains(t, sink.refs(), "f")
		require.NotContains(t, sink.refs(), "d")
	})
}

func TestAuditFailingSinkIsToldToTheNextCallersAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("no space left on device")
		sink := &fakeSink{err: full}
		a, lost := newTestAudit(newTestStage(t), sink, 10)
		require.NoError(t, a.Append(rec("a")))
		synctest.Wait()
		err := a.Failing()
		require.ErrorIs(t, err, ErrAuditFailing)
		require.ErrorIs(t, err, full)
		require.NoError(t, a.Append(rec("b")))
		synctest.Wait()
		require.ErrorIs(t, a.Failing(), full)
		sink.set(func() { sink.err = nil })
		require.NoError(t, a.Append(rec("c"))) // is tried although the last one failed
		synctest.Wait()
		require.NoError(t, a.Failing())
		require.NoError(t, a.Append(rec("d")))
		synctest.Wait()
		require.Equal(t, []string{"c", "d"}, sink.refs(), "the sink marks its own gap")
		require.Len(t, *lost, 2)
		require.EqualValues(t, 2, a.Lost())
	})
}

// Lines that are written and not forced out may be gone with the machine: a line that gets through says nothing of them.
func TestAuditThatCannotBeFlushedFailsUntilItCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink, told := &fakeSink{flushErr: errors.New("input/output error")}, []error{}
		a := NewAudit(AuditConfig{Sink: sink, OnTended: func(err error) { told = append(told, err) }})
		newTestStage(t).spawn(a.Props(guard.Options{}))
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		require.NoError(t, a.Append(rec("a")))
		synctest.Wait()
		require.Equal(t, []string{"a"}, sink.refs())
		require.ErrorIs(t, a.Failing(), sink.flushErr)
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], sink.flushErr)
		sink.set(func() { sink.flushErr = nil })
		time.Sleep(time.Second)
		synctest.Wait()
		require.NoError(t, a.Failing())
		require.NoError(t, told[1])
	})
}

// A file that was rotated away and cannot be opened again goes on in its old place: nothing is lost, and somebody must know.
func TestAuditThatCannotFollowARotationIsToldOfAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink, told := &fakeSink{reopenErr: errors.New("permission denied")}, []error{}
		a := NewAudit(AuditConfig{Sink: sink, OnTended: func(err error) { told = append(told, err) }})
		newTestStage(t).spawn(a.Props(guard.Options{}))
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], sink.reopenErr)
		require.NoError(t, a.Failing())
		require.Equal(t, 1, sink.count(&sink.flushes))
	})
}

func TestAuditSinkThatPanicsCostsOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{panics: true}
		a, lost := newTestAudit(newTestStage(t), sink, 10)
		require.NoError(t, a.Append(rec("a")))
		require.NoError(t, a.Append(rec("b")))
		synctest.Wait()
		require.Equal(t, []string{"gap", "b"}, sink.refs())
		require.Len(t, *lost, 1)
		require.ErrorIs(t, (*lost)[0], guard.ErrPanic)
		require.Zero(t, a.Queued())
	})
}

func TestAuditWithoutAnActor(t *testing.T) {
	a := NewAudit(AuditConfig{Sink: &fakeSink{}})
	require.ErrorIs(t, a.Append(rec("a")), guard.ErrDown)
	require.ErrorIs(t, a.Flush(t.Context()), guard.ErrDown)
	require.ErrorIs(t, a.Close(t.Context()), guard.ErrDown)
	require.EqualValues(t, 1, a.Lost())
	require.Zero(t, a.Queued())
}

func TestAppendHidesItsRecord(t *testing.T) {
	m := &messages.Append{Record: rec("secret-ref")}
	require.NotContains(t, m.String()+m.GoString()+m.LogValue().String(), "secret")
	m.Reject(guard.ErrFull) // nobody to tell
}

// told is how many lost lines the gap lines tell of.
func (s *fakeSink) told() (n int) {
	s.set(func() {
		for _, l := range s.lines {
			n += int(l.Count)
		}
	})
	return n
}

// overfill is refused five lines by a trail of one place whose sink holds the first.
func overfill(t *testing.T, a *Audit) {
	t.Helper()
	require.NoError(t, a.Append(rec("held")))
	synctest.Wait()
	for range 5 {
		require.ErrorIs(t, a.Append(rec("refused")), guard.ErrFull)
	}
}

// ownAccount is a sink that owes the lines which it was given and could not write.
type ownAccount struct {
	fakeSink
	owed int
}

func (s *ownAccount) Append(r *audit.Record) error {
	err := s.fakeSink.Append(r)
	if err != nil {
		s.set(func() { s.owed++ })
	}
	return err
}

// A gap line that cannot be written is the sink's to account for, like any other: what is
// told in the end is what was lost.
func TestAuditOwesEveryLostLineOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &ownAccount{fakeSink: fakeSink{hold: make(chan struct{})}}
		a, lost := newTestAudit(newTestStage(t), sink, 1)
		overfill(t, a)
		sink.set(func() { sink.err = errors.New("disk full") })
		close(sink.hold)
		time.Sleep(3 * time.Second) // flushes, each of which tries to tell
		sink.set(func() { sink.err = nil })
		time.Sleep(2 * time.Second)
		require.Len(t, *lost, 6)
		require.Equal(t, 6, sink.told()+sink.count(&sink.owed))
	})
}

// gapBreaker panics at the first gap line.
type gapBreaker struct {
	fakeSink
	broken bool
}

func (s *gapBreaker) Append(r *audit.Record) error {
	if r.Event == audit.EventGap && !s.broken {
		s.broken = true
		panic("in a gap line")
	}
	return s.fakeSink.Append(r)
}

// What is owed outlives a sink that breaks over the telling.
func TestAuditOwesWhatAPanicKeptItFromTelling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &gapBreaker{fakeSink: fakeSink{hold: make(chan struct{})}}
		a, lost := newTestAudit(newTestStage(t), sink, 1)
		overfill(t, a)
		close(sink.hold)
		time.Sleep(3 * time.Second)
		require.Len(t, *lost, 5)
		require.Equal(t, 5, sink.told())
	})
}

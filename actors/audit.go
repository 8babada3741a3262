package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// AuditSink writes lines. The audit actor is its only caller, on one goroutine.
type AuditSink interface {
	// Append writes one record. An error means that it is not written and that the
	// sink itself marks the gap.
	Append(*audit.Record) error
	// Flush does what is due with time (checkpoints, forcing lines to disk). It is
	// called about once a second and before the end. After an error lines count as
	// failing until a later call succeeds, whatever Append says meanwhile.
	Flush() error
	// Close writes what is outstanding and ends the stream.
	Close() error
}

// AuditReopener is implemented by sinks whose file can be rotated away. Reopen is
// called before each regular Flush. Its error alone loses no line.
type AuditReopener interface{ Reopen() error }

// ErrAuditFailing is what Failing returns while the sink does not take lines.
var ErrAuditFailing = errors.New("audit sink is failing")

// AuditConfig is what the audit actor is made of.
type AuditConfig struct {
	Sink AuditSink
	// Capacity is how many records may wait; zero is 8192. Those that are not about an
	// exchange have a quarter more: what a flood of calls does to a replica, and its
	// end, must not be what the trail leaves out.
	Capacity int
	// FlushEvery is the interval of Sink.Flush; zero is one second.
	FlushEvery time.Duration
	// OnWritten is told of every record that was written, OnLost of every one that
	// was not, with why, OnTended once in FlushEvery whether the sink followed a
	// rotation and was flushed. They must not block; OnLost is called on any goroutine.
	OnWritten func()
	OnLost    func(error)
	OnTended  func(error)
}

// Audit is the handle of the audit actor, the one writer of the audit stream. The
// sink outlives a crash of the actor.
type Audit struct {
	ref
	cfg     AuditConfig
	queued  atomic.Int64
	lost    atomic.Uint64
	unsaid  atomic.Int64          // records lost before the sink saw them; owed to a gap line
	failing atomic.Pointer[error] // of the last record
	behind  atomic.Pointer[error] // of the last flush
	closed  atomic.Bool
}

// NewAudit returns the handle.
func NewAudit(cfg AuditConfig) *Audit {
	if cfg.Capacity <= 0 {
		cfg.Capacity = 8192
	}
	if cfg.FlushEvery <= 0 {
		cfg.FlushEvery = time.Second
	}
	if cfg.OnWritten == nil {
		cfg.OnWritten = func() {}
	}
	if cfg.OnLost == nil {
		cfg.OnLost = func(error) {}
	}
	if cfg.OnTended == nil {
		cfg.OnTended = func(error) {}
	}
	return &Audit{cfg: cfg}
}

// Props describes the actor, for one spawn.
func (a *Audit) Props(o guard.Options) *actor.Props {
	// Append keeps its own count; the mailbox must not shed below it, nor what is no
	// record.
	o.Capacity = 2*a.cfg.Capacity + 2
	return a.props(func() actor.Actor { return &auditActor{h: a} }, o)
}

// Append enqueues one record, which must not be changed afterwards. It never
// waits. An error means that the queue is full or the actor is gone and the record
// is lost (guard.ErrFull, guard.ErrDown). What that means for the exchange is the
// caller's policy. A record that is enqueued while the sink fails is tried all the
// same, and may be the one that gets through: a caller to whom it matters asks Failing
// before it makes the record.
func (a *Audit) Append(rec *audit.Record) error {
	if a.queued.Add(1) > a.room(rec) {
		a.done(guard.ErrFull)
		err := fmt.Errorf("append audit record: %d wait to be written: %w", a.cfg.Capacity, guard.ErrFull)
		// A sink that takes nothing and says nothing fails too, as a pipe does that nobody
		// reads. The next line that gets through says otherwise.
		a.failing.CompareAndSwap(nil, &err)
		return err
	}
	if !a.send(&messages.Append{Record: rec, Done: a.done}) {
		return fmt.Errorf("append audit record: %w", guard.ErrDown)
	}
	return nil
}

// room is how many records may wait, a new one included.
func (a *Audit) room(rec *audit.Record) int64 {
	if rec.Event == "" {
		return int64(a.cfg.Capacity)
	}
	return int64(a.cfg.Capacity + (a.cfg.Capacity+3)/4)
}

// Failing returns why the sink does not take lines, nil while it does.
func (a *Audit) Failing() error {
	for _, p := range []*atomic.Pointer[error]{&a.failing, &a.behind} {
		if err := p.Load(); err != nil {
			return fmt.Errorf("%w: %w", ErrAuditFailing, *err)
		}
	}
	return nil
}

// Lost counts the records that were not written, for whatever reason.
func (a *Audit) Lost() uint64 { return a.lost.Load() }

// Queued is how many records wait.
func (a *Audit) Queued() int { return int(a.queued.Load()) }

// Flush waits until everything that was appended before is written and forced out.
func (a *Audit) Flush(ctx context.Context) error {
	m := &messages.FlushAudit{Promise: guard.NewPromise[struct{}]()}
	_, err := ask(ctx, &a.ref, m.Promise, m)
	return err
}

// Reopen makes the sink follow a rotation.
func (a *Audit) Reopen(ctx context.Context) error {
	m := &messages.ReopenAudit{Promise: guard.NewPromise[struct{}]()}
	_, err := ask(ctx, &a.ref, m.Promise, m)
	return err
}

// Close writes everything that was appended before and closes the sink. Records
// that come later are lost.
func (a *Audit) Close(ctx context.Context) error {
	m := &closeAudit{Promise: guard.NewPromise[struct{}]()}
	_, err := ask(ctx, &a.ref, m.Promise, m)
	return err
}

// Closed reports whether the sink was closed.
func (a *Audit) Closed() bool { return a.closed.Load() }

// CloseOrphan closes a sink that Close could not reach, because its actor was down.
// Call it when no actor is left; it does nothing when the sink is closed.
func (a *Audit) CloseOrphan() error { return (&auditActor{h: a}).close() }

// done is told what became of one record, on any goroutine.
func (a *Audit) done(err error) {
	a.queued.Add(-1)
	// A panic here would have the record rejected, and counted, a second time.
	defer func() { _ = recover() }()
	if err == nil {
		a.cfg.OnWritten()
		return
	}
	a.lost.Add(1)
	if !errors.Is(err, errSink) {
		a.unsaid.Add(1)
	}
	a.cfg.OnLost(err)
}

// errSink marks the errors of the sink, which accounts for them itself.
var errSink = errors.New("write audit line")

type closeAudit struct{ *guard.Promise[struct{}] }

type auditTick struct {
	guard.Quiet
	of *auditActor
}

// auditActor is one incarnation.
type auditActor struct {
	h    *Audit
	tick *time.Timer
}

// Receive handles one message.
func (a *auditActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		a.arm()
	case *messages.Append:
		if err := a.write(m.Record); err != nil {
			m.Reject(err)
		} else if m.Done != nil {
			m.Done(nil)
		}
	case *auditTick:
		if m.of == a {
			a.h.cfg.OnTended(errors.Join(a.reopen(), a.flush())) // the next tick tries again
			a.arm()
		}
	case *messages.FlushAudit:
		settle(m.Promise, a.flush())
	case *messages.ReopenAudit:
		settle(m.Promise, a.reopen())
	case *closeAudit:
		settle(m.Promise, a.close())
	case *actor.Restarting, *actor.Stopping:
		if a.tick != nil {
			a.tick.Stop()
		}
	}
}

func (a *auditActor) arm() { a.tick = a.h.later(a.h.cfg.FlushEvery, &auditTick{of: a}) }

func (a *auditActor) write(rec *audit.Record) error {
	if a.h.closed.Load() {
		return guard.ErrStopped
	}
	a.confess()
	return published(&a.h.failing, a.h.cfg.Sink.Append(rec))
}

// confess writes the gap line for records that never reached the sink. One that cannot be
// written is the sink's to tell of, and stands for one of them.
func (a *auditActor) confess() {
	n := a.h.unsaid.Load()
	if n == 0 {
		return
	}
	told := n
	gap := &audit.Record{Event: audit.EventGap, Count: n, Reason: "records refused before the writer"}
	if published(&a.h.failing, a.h.cfg.Sink.Append(gap)) != nil {
		told = 1
	}
	a.h.unsaid.Add(-told) // and nothing where the sink has panicked
}

func (a *auditActor) reopen() error {
	if r, ok := a.h.cfg.Sink.(AuditReopener); ok && !a.h.closed.Load() {
		return r.Reopen()
	}
	return nil
}

func (a *auditActor) flush() error {
	if a.h.closed.Load() {
		return nil
	}
	a.confess()
	err := published(&a.h.behind, a.h.cfg.Sink.Flush())
	if err == nil {
		a.h.failing.Store(nil) // a gap line has told of the last record
	}
	return err
}

func (a *auditActor) close() error {
	if a.h.closed.Load() {
		return nil
	}
	a.confess()
	a.h.closed.Store(true)
	return published(&a.h.behind, a.h.cfg.Sink.Close())
}

// published keeps whether the sink did what it was asked for.
func published(to *atomic.Pointer[error], err error) error {
	if err == nil {
		to.Store(nil)
		return nil
	}
	to.Store(&err)
	return fmt.Errorf("%w: %w", errSink, err)
}

func settle(p *guard.Promise[struct{}], err error) {
	if err != nil {
		p.Reject(err)
		return
	}
	p.Resolve(struct{}{})
}

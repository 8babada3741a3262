package guard

import (
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// DefaultCapacity is the number of queued messages with a caller above which a
// mailbox sheds when [Options] names none.
const DefaultCapacity = 4096

// Options are what an actor's mailbox needs to know.
type Options struct {
	// Name is what OnPanic is told. Empty: the actor's id.
	Name string
	// Capacity is the number of queued user messages at which further messages
	// with a caller are rejected with ErrFull. Pills, ticks and other messages
	// without a Reject method always pass. Concurrent senders can overshoot it by
	// their number. Zero: DefaultCapacity.
	Capacity int
	// Dispatcher runs the actor's turns. Nil: a fresh goroutine per wake-up, which
	// is right for actors that wake seldom.
	Dispatcher actor.Dispatcher
	// OnPanic is told of every panic, on the goroutine that panicked, before the
	// supervisor decides. The reason may be anything the code panicked with. It
	// must not block; a panic of its own is swallowed.
	OnPanic func(actorName string, reason any, stack []byte)
	// OnStop is called before the actor handles its Stop: from here on it takes no
	// messages. OnEnd is called once it has left the registry; a parent may know of
	// the end, and have respawned the name, before that. Both run on the actor's turn.
	OnStop, OnEnd func()
	// Depth, when given, answers for the length of this actor's queue. One Depth
	// serves all incarnations of an actor.
	Depth *Depth
}

// Depth reads the queue length of the actor it was given to.
type Depth struct{ count atomic.Pointer[func() int] }

// Len is the number of queued user messages, 0 before the actor was spawned. It never
// counts one that is not there: the library counts a message only after it has queued
// it, and when the actor was quicker the count is below zero for a moment.
func (d *Depth) Len() int {
	if f := d.count.Load(); f != nil {
		return max((*f)(), 0)
	}
	return 0
}

// Props describes an actor behind a guarding mailbox.
//
// The producer is called for every incarnation and must build all state anew.
// Panics in Stopping, Restarting and Stopped are reported and swallowed: in the
// library a panic there leaves the parent waiting for a child that never ends.
func Props(producer actor.Producer, o Options, more ...actor.PropsOption) *actor.Props {
	if o.Capacity <= 0 {
		o.Capacity = DefaultCapacity
	}
	props := actor.PropsFromProducer(func() actor.Actor { return wrap(producer(), o) },
		actor.WithMailbox(func() actor.Mailbox {
			return &box{Mailbox: actor.Unbounded()(), o: o}
		}))
	if o.Dispatcher != nil {
		props.Configure(actor.WithDispatcher(o.Dispatcher))
	}
	return props.Configure(more...)
}

// box sits on both sides of the library's unbounded queue: in front of it to
// shed, and between it and the actor to answer what the actor will not. It also
// holds back what comes too early: the library makes a new actor known by its name
// before the mailbox can run anything, so that a quick message would panic on the
// sender's goroutine, or be handled ahead of Started.
type box struct {
	actor.Mailbox
	o    Options
	inv  actor.MessageInvoker
	ctx  actor.Context
	proc actor.Process
	// system is atomic because who comes too early may read it.
	system atomic.Pointer[actor.ActorSystem]

	// open is set once the mailbox runs. Until then messages wait in early, whose
	// lock is needed because senders are many.
	open  atomic.Bool
	mu    sync.Mutex
	early struct{ system, user []any }

	// stopping is set before the actor handles Stop, gone once it has left the
	// registry. Both only ever go from false to true, on the actor's own turn;
	// they are atomic because senders read gone.
	stopping atomic.Bool
	gone     atomic.Bool
}

// RegisterHandlers puts the box between the queue and the actor. The library
// calls it once, after the actor has its PID and before the first message.
func (b *box) RegisterHandlers(inv actor.MessageInvoker, d actor.Dispatcher) {
	b.inv = inv
	if ctx, ok := inv.(actor.Context); ok {
		b.ctx = ctx
		b.system.Store(ctx.ActorSystem())
		b.proc, _ = ctx.ActorSystem().ProcessRegistry.GetLocal(ctx.Self().Id)
		if b.o.Name == "" {
			b.o.Name = ctx.Self().Id
		}
	}
	if b.o.Depth != nil {
		count := b.UserMessageCount
		b.o.Depth.count.Store(&count)
	}
	b.Mailbox.RegisterHandlers(b, d)
}

// PostUserMessage runs on the sender's goroutine.
func (b *box) PostUserMessage(message any) {
	if rejectable(message) {
		if b.gone.Load() {
			b.reject(message, ErrStopped)
			return
		}
		if b.UserMessageCount() >= b.o.Capacity {
			b.reject(message, ErrFull)
			return
		}
	}
	if !b.open.Load() && b.tooEarly(&b.early.user, message) {
		return
	}
	b.Mailbox.PostUserMessage(message)
}

// PostSystemMessage runs on the sender's goroutine.
func (b *box) PostSystemMessage(message any) {
	if _, first := message.(*actor.Started); !first && !b.open.Load() && b.tooEarly(&b.early.system, message) {
		return
	}
	b.Mailbox.PostSystemMessage(message)
}

// tooEarly keeps message in list while the mailbox is not open, or rejects it.
func (b *box) tooEarly(list *[]any, message any) bool {
	kept, full := b.keep(list, message)
	if full {
		b.reject(message, ErrFull) // without the lock: it may send
	}
	return kept || full
}

func (b *box) keep(list *[]any, message any) (kept, full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.open.Load():
		return false, false
	case rejectable(message) && len(*list) >= b.o.Capacity:
		return false, true
	}
	*list = append(*list, message)
	return true, false
}

// Start is called by the library once Started is in the queue.
func (b *box) Start() {
	b.Mailbox.Start()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.early.system {
		b.Mailbox.PostSystemMessage(m)
	}
	for _, m := range b.early.user {
		b.Mailbox.PostUserMessage(m)
	}
	b.early.system, b.early.user = nil, nil
	b.open.Store(true)
}

// InvokeUserMessage runs on the actor's turn. The library goes on delivering
// user messages between Stopping and Stopped; a message without a caller is
// dropped there, one with a caller is answered.
func (b *box) InvokeUserMessage(message any) {
	if b.stopping.Load() {
		b.reject(message, ErrStopped)
		return
	}
	b.inv.InvokeUserMessage(message)
}

// InvokeSystemMessage runs on the actor's turn.
func (b *box) InvokeSystemMessage(message any) {
	switch message.(type) {
	case *actor.Stop:
		if !b.stopping.Swap(true) && b.o.OnStop != nil {
			b.o.OnStop()
		}
	case *actor.Restart:
		if b.stopping.Load() {
			// The library would bring a stopping actor back to life, and whoever
			// asked for the stop would wait for ever.
			return
		}
	}
	b.inv.InvokeSystemMessage(message)
	switch message.(type) {
	case *actor.Stop, *actor.Terminated: // the only two on which an actor can end
		b.noticeEnd()
	}
}

// noticeEnd rejects what is still queued once the actor has left the registry.
// A mailbox that its supervisor suspended would keep its queue until it is
// garbage; it is resumed so that the queue drains into InvokeUserMessage.
func (b *box) noticeEnd() {
	if b.ctx == nil || b.gone.Load() {
		return
	}
	proc, ok := b.ctx.ActorSystem().ProcessRegistry.GetLocal(b.ctx.Self().Id)
	if ok && proc == b.proc {
		return
	}
	b.stopping.Store(true)
	b.gone.Store(true)
	b.Mailbox.PostSystemMessage(&actor.ResumeMailbox{})
	if b.o.OnEnd != nil {
		b.o.OnEnd()
	}
}

// EscalateFailure runs in the deferred recover of the actor's turn: the stack is
// still the panicking one.
func (b *box) EscalateFailure(reason, message any) {
	report(b.o, reason, debug.Stack())
	b.reject(message, ErrPanic)
	b.inv.EscalateFailure(reason, message)
}

func (b *box) reject(message any, err error) { reject(b.system.Load(), message, err) }

func report(o Options, reason any, stack []byte) {
	if o.OnPanic == nil {
		return
	}
	// A panic here would be a second one inside a recover and end the process.
	defer func() { _ = recover() }()
	o.OnPanic(o.Name, reason, stack)
}

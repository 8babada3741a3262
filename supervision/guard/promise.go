package guard

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
)

// Promise is the slot in which one actor leaves one outcome for those who wait.
//
// The first outcome wins and later ones are dropped. A promise is made fresh for
// every message and never pooled: an actor that resolves and then panics in the
// same turn has its message rejected a second time, and on a recycled promise
// that would be somebody else's verdict.
//
// Embedded in a message it makes the message a [Rejecter], keeps it out of the
// library's dead-letter log, and makes every way of printing it show the state
// and never the content. All methods may be called on a nil *Promise, which is a
// message that nobody waits for.
type Promise[T any] struct {
	done  chan struct{}
	taken atomic.Bool
	value T
	err   error
}

// NewPromise returns a promise without an outcome.
func NewPromise[T any]() *Promise[T] { return new(Promise[T]).Init() }

// Init makes a new promise of the zero value, in place, and returns it: for a message
// that has its promise within its own memory. Once for each.
func (p *Promise[T]) Init() *Promise[T] {
	p.done = make(chan struct{})
	return p
}

// Resolve sets the outcome to v and reports whether it was the first one.
func (p *Promise[T]) Resolve(v T) bool {
	if p == nil || !p.taken.CompareAndSwap(false, true) {
		return false
	}
	p.value = v
	close(p.done)
	return true
}

// Reject sets the outcome to err, which must not be nil, unless there is one.
func (p *Promise[T]) Reject(err error) {
	if p == nil || !p.taken.CompareAndSwap(false, true) {
		return
	}
	p.err = err
	close(p.done)
}

// Await returns the outcome, or ctx's error when ctx ends first. When both have
// happened the outcome is returned. Any number of goroutines may wait.
func (p *Promise[T]) Await(ctx context.Context) (T, error) {
	if p == nil {
		var zero T
		return zero, ErrDown
	}
	select {
	case <-p.done:
		return p.value, p.err
	default:
	}
	select {
	case <-p.done:
		return p.value, p.err
	case <-ctx.Done():
		select {
		case <-p.done:
			return p.value, p.err
		default:
		}
		var zero T
		return zero, context.Cause(ctx)
	}
}

// Done is closed once there is an outcome. On a nil promise it is nil, which
// blocks for ever.
func (p *Promise[T]) Done() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.done
}

// Settled reports whether there is an outcome already.
func (p *Promise[T]) Settled() bool { return p != nil && p.taken.Load() }

// IgnoreDeadLetterLogging keeps the message that embeds this promise out of the
// library's log; [DeadLetters] answers it.
func (p *Promise[T]) IgnoreDeadLetterLogging() {}

// String shows the state and never the content.
func (p *Promise[T]) String() string {
	switch {
	case p == nil:
		return "promise(none)"
	case !p.taken.Load():
		return "promise(pending)"
	default:
		return "promise(settled)"
	}
}

// GoString is String.
func (p *Promise[T]) GoString() string { return p.String() }

// LogValue is String.
func (p *Promise[T]) LogValue() slog.Value { return slog.StringValue(p.String()) }

// Format prints String for every verb, because verbs like %d would otherwise
// walk the fields of the message by reflection.
func (p *Promise[T]) Format(f fmt.State, _ rune) {
	// A fmt.State cannot report a failed write to anyone.
	_, _ = f.Write([]byte(p.String()))
}

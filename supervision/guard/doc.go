// Package guard is the one place that knows the traps of the actor library.
//
// It owns five things and nothing else: a mailbox that answers every waiting
// caller whatever happens to the actor ([Props]), a dispatcher that reuses
// goroutines whose stacks have already grown ([Warm]), the reply slot a caller
// waits on ([Promise]), the subscription that answers messages which reached no
// actor ([DeadLetters]), and the delay before a failed actor comes back
// ([Backoff]).
//
// The promise it makes: a message that carries a caller (a [Rejecter], or a [Refuser]
// that an actor has asked) is either handled by its actor or rejected, promptly, in
// every one of these cases: the actor panics on it, the actor is stopped, poisoned or
// given up by its supervisor while the message is queued, the queue is full, the actor
// is gone.
// The stock library loses the message in each of them and the caller hangs.
//
// It holds no policy: how often an actor may restart, and what a lost caller is
// told, are decided by package supervision and by the actors. It imports the
// actor library and the standard library only. Its contract tests pin the
// library's behaviour that it relies on, so that a version bump that changes it
// fails here and not in production.
package guard

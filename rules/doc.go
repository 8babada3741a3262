// Package rules turns rule packs into decisions about single calls and about sequences of calls.
//
// It owns the pack format (strictly parsed YAML whose predicates are type-checked CEL), the compiled [Set], the per-key automata
// in [State], the tool access list [ACL], and the tools around packs: tests, lint, explain and the JSON Schema.
//
// # How it is used
//
// [Load] or [Parse] a [Pack], [Pack.Compile] it to a Set. For every event:
//
//	matched := set.Match(&event)                  // on the caller's goroutine
//	hits := set.Advance(state, &matched, info)    // on the goroutine that owns the key's state
//	state.Settle(info.ID, allowed, now)           // when the exchange has been decided
//
// Match evaluates matchers and predicates and returns a [Matched] that carries rule numbers, amounts and hashes: no arguments travel
// between goroutines. Advance does arithmetic only. [Matched.Hits] are the call rules that fired, the result of Advance the others;
// [Worst] picks the one that decides. [Matched.Faults] are rules that could not be evaluated; the failure mode resolves them.
//
// # What a state remembers
//
// A flow keeps, for each step, the latest start of a match that reached it, and a short journal of exchanges whose outcome is
// open. A loop keeps the newest times of the last different calls, a rate those of the last calls per tool, a budget a window of
// amounts. All of it is bounded whatever the callers do; the constants stand in state.go. Times count in milliseconds. A flow is
// alive for "within" after its start, that moment included; a call leaves the window of a loop, rate or budget at exactly "within"
// after it. State is keyed by a hash of each rule's content, so a reload keeps what unchanged rules know. Between exchanges a state
// is one packed text without pointers: half a kilobyte under the default pack.
//
// # Which events a step is about
//
// Matchers are case-sensitive; only the ACL is not. Without "method", calls, guards and limits are about tools/call, and results
// about every method.
//
// The package never reads a clock, never starts a goroutine, never logs, and does no I/O beyond reading a pack in Load and [Lint].
// Its callers are the rules actor (load, compile, test), the engine (match) and the trace shards (advance, settle).
package rules

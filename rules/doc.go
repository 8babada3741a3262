// Package rules turns rule packs into decisions about single calls and about sequences of calls.
//
// It owns the pack format (strictly parsed YAML whose predicates are type-checked CEL), the compiled [Set], the per-key automata
// in [State], the tool access list [ACL], and the tools around packs: tests, lint, explain and the JSON Schema.
//
// Work is split so that no arguments travel between goroutines. [Set.Match] runs on the caller's goroutine: it evaluates matchers
// and predicates and returns a [Matched] that carries only rule ids, amounts and hashes. [Set.Advance] runs on whichever goroutine
// owns the trace key's [State] and does arithmetic only. [State.Settle] tells the state whether an exchange happened.
//
// The package never reads a clock, never starts a goroutine, never logs, and does no I/O beyond reading a pack in [Load].
// Its callers are the rules actor (load, compile, test), the engine (match) and the trace shards (advance, settle).
package rules

// Package actors holds the owners of everything that changes while the program
// runs: one file per actor, each with its handle, and several for the model pool, whose
// names begin with modelpool and modelworker.
//
// An actor here owns state, decides in short turns and never blocks in one:
// parsing, regular expressions, compiling and native calls happen on the caller's
// goroutine, on a goroutine that reports back by message, or in the pure packages.
// (The audit actor is the exception: writing lines is what it is for.)
//
// The rest of the program holds handles ([Rules], [Traces], [Health], …) and never
// sees an actor id. Every handle method that waits takes a context and is answered
// within it even if every actor is dead: a message is either handled or rejected
// by the guarding mailbox. What must survive a crash (the rule tuple, the phase,
// the pins) lives in the handle, as an immutable snapshot that the actor publishes
// or as state that only the current incarnation touches; the actor itself starts
// empty.
//
// Handles are made with New…, spawned by package supervision from Props, and used
// by the engine.
package actors

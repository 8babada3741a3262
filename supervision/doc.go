// Package supervision is the tree: who is whose child, what a crash costs, in
// which order things start and stop, and how long each may take.
//
// [Start] spawns a root supervisor and under it every actor of package actors, in
// an actor system of its own or of its host, and returns a [Tree] with their
// handles. The root restarts a child that panics, at once and up to a limit; past
// the limit it withdraws readiness, says why, and brings the child back after a
// growing delay until it holds. The process is never killed for it.
//
// [Tree.Stop] is the way out: readiness is withdrawn, work is still served for a
// while, the front drains, and then everything is cleaned up in reverse start
// order, each step within at most half of the time that is left, a hanging one
// logged and skipped.
//
// The package holds no policy about exchanges and knows no model, rule pack or
// server: all that comes in through [Config]. The engine calls it; it is the only
// caller of the actors' Props.
package supervision

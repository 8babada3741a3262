// Package messages holds what actors say to each other: immutable structs, one
// file per actor that receives them.
//
// It owns the shapes and no behaviour beyond printing without content. A message
// is sent by pointer and never changed after it was sent. One that somebody waits
// for embeds a fresh *guard.Promise, which makes it rejectable by the mailbox; one
// that nobody waits for embeds guard.Quiet. The values it carries are those of
// decision, rules, content and inference.
//
// The package never imports an actor. Actors and the engine call it; everyone
// else meets its value types (Phase, HealthView, Tuple) through their handles.
package messages

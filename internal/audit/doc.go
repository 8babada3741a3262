// Package audit owns the audit format: what one line says, how lines are chained, and how a file is checked afterwards.
//
// A Record becomes exactly one JSON line. Every line carries its number (seq) and the SHA-256 of the line before it
// (prev), so that a changed, removed or inserted line shows. Every 1 000 lines, or 10 s after the first uncovered one, a
// checkpoint line follows, signed with Ed25519 when there is a key. Restart and rotation continue the chain and say so
// with a chain_resume line; what could not be written, or was torn by a crash, leaves a gap line with the count.
//
// The audit actor is the only caller of Writer, and the operator's commands call Check, Verify and Summarise. The package
// decides nothing about an exchange, keeps no matched text (a Fingerprint is a length and, with a key, an HMAC) and knows
// no other room.
package audit

package messages

import (
	"encoding/hex"

	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// TraceKey is the keyed hash of what groups calls into one trace.
type TraceKey [16]byte

// String is the first four bytes in hex, for logs.
func (k TraceKey) String() string { return hex.EncodeToString(k[:4]) + "…" }

// Advance feeds one event's matches to the automata of a trace key.
type Advance struct {
	*guard.Promise[[]rules.Hit]
	Key     TraceKey
	Set     *rules.Set
	Matched rules.Matched
	Info    rules.AdvanceInfo
	// Once is the identity of the token that brought the event, zero for none: a
	// shard takes one event for each.
	Once [16]byte
}

// Touch tells the shard that the key's caller is there, though no rule with memory
// looks at what it does: among keys, it is not the least recently used.
type Touch struct {
	guard.Quiet
	Key TraceKey
}

// Reject does nothing: a key that is touched once less is forgotten a little earlier. It
// is there so that a full mailbox sheds the message.
func (*Touch) Reject(error) {}

// Settle tells the shard whether an exchange happened. It is sent once, and a lost
// one is made up for by the pending time of rules.AdvanceInfo.
type Settle struct {
	guard.Quiet
	Key    TraceKey
	ID     [16]byte
	Commit bool
}

// Reject does nothing: see Settle. It is there so that a full mailbox sheds the message.
func (*Settle) Reject(error) {}

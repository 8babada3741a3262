package messages

import (
	"time"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Tuple is everything an exchange is decided by, as one immutable value with one
// version: an exchange takes it once and uses it from beginning to end.
type Tuple struct {
	// Version identifies the content; it is what audit lines name.
	Version string
	// Generation counts the tuples of this process, from 1. LoadedAt is when this
	// one came into force. Both are set by the rules actor.
	Generation uint64
	LoadedAt   time.Time

	Rules   *rules.Set
	Scanner *content.Scanner
	// Source names where the rules came from, for a person.
	Source string
	// Extra is the builder's own; nobody else looks at it.
	Extra any
}

// Reload asks the rules actor to build the tuple anew. Requests that arrive during
// a build share the next one.
type Reload struct {
	*guard.Promise[ReloadReport]
	// Reason is why, for log and audit: "start" or "reload".
	Reason string
}

// ReloadReport is what a reload came to.
type ReloadReport struct {
	Reason string
	// Version is the tuple's in force after the reload, Previous the one before it,
	// empty at the start.
	Version, Previous string
	Generation        uint64
	// Changed is whether another tuple is in force now.
	Changed bool
	// Err is why the reload failed, in whole (Changed is false) or in part.
	Err error
	// At is when the reload ended, Took how long the build took.
	At   time.Time
	Took time.Duration
	// Requests is how many requests this reload answers.
	Requests int
}

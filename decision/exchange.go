package decision

import (
	"fmt"
	"log/slog"
)

// Phase says which of the two gates an exchange is at.
type Phase uint8

const (
	// Request is the gate before the call goes upstream.
	Request Phase = iota
	// Response is the gate before the result goes back to the agent.
	Response
)

// String returns "request" or "response", the words used in audit and metrics.
func (p Phase) String() string {
	if p == Response {
		return "response"
	}
	return "request"
}

// Exchange is one question from a gateway: may this MCP message go on?
//
// An Exchange is owned by the caller of the engine and is not modified by it.
// Its printed forms (String, GoString, LogValue) never contain the payload, the
// headers or the metadata.
type Exchange struct {
	// Phase is the gate at which the message stands, for who asks by a message to the
	// engine's actor; its CheckRequest and CheckResponse go by their names.
	Phase Phase
	// Method is the JSON-RPC method, e.g. "tools/call".
	Method string
	// Services are the gateway's target names: one for a routed call, several
	// for a fanned-out list, possibly none.
	Services []string
	// Body is the JSON of the params (request) or of the result (response).
	Body []byte
	// HasBody is whether the gateway sent a body at all, which matters where Body is
	// empty: an absent request body is an empty params object, a present but empty one
	// is malformed. A Body that is not empty is read in any case.
	HasBody bool
	// Dropped is the size, in bytes, of a body that is not here because it is over
	// the payload limit; 0 when none was dropped. Such an exchange is refused.
	Dropped int

	// Principal, Session and Route identify the caller as the operator's gateway
	// configuration established it. They are empty when unknown.
	Principal, Session, Route string
	// ID correlates the two halves of an exchange and the gateway's own logs. It
	// comes from gateway metadata or the x-request-id header, never from the
	// payload; the engine mints one when it is empty.
	ID string
	// Call is the token that an earlier request verdict handed out, as the
	// gateway handed it back; empty when it did not.
	Call string

	// Meta is what else the gateway's metadata context holds, visible to rules
	// as meta.<key>.
	Meta map[string]any
	// Headers are the client's headers that the configuration allows to be
	// kept, with lower-case names. They are supplied by the client: rules may
	// read them, identity may not rest on them.
	Headers map[string][]string
}

// Present reports whether there is a body: one that is here, or an empty one that was
// sent.
func (e *Exchange) Present() bool { return e.HasBody || len(e.Body) > 0 }

// Service returns the target name when there is exactly one, else "".
func (e *Exchange) Service() string {
	if len(e.Services) == 1 {
		return e.Services[0]
	}
	return ""
}

// Size is the size of the body as it was received, in bytes.
func (e *Exchange) Size() int { return len(e.Body) + e.Dropped }

// String describes the exchange without its content.
func (e *Exchange) String() string {
	return fmt.Sprintf("exchange{%s %q services=%d bytes=%d}", e.Phase, e.Method, len(e.Services), e.Size())
}

// GoString keeps %#v from printing the payload.
func (e *Exchange) GoString() string { return e.String() }

// LogValue keeps structured loggers from printing the payload.
func (e *Exchange) LogValue() slog.Value { return slog.StringValue(e.String()) }

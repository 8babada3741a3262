package grpcapi

import (
	"context"
	"io/fs"
	"net"
	"time"

	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/sallyport-mcp/sallyport/decision"
)

// Checker decides. The engine is one.
type Checker interface {
	// CheckRequest and CheckResponse return the verdict on an exchange. They are
	// called concurrently, and the context ends with the call or at the deadline.
	CheckRequest(ctx context.Context, x *decision.Exchange) decision.Verdict
	CheckResponse(ctx context.Context, x *decision.Exchange) decision.Verdict
}

// Door is a [Checker] with a limit to what it decides at once. Admit waits a moment
// for a place and returns the function that decides, to be called once; or nil, and
// the verdict that refuses. It keeps its word on time, as it has no payload to read.
type Door interface {
	Admit(ctx context.Context, x *decision.Exchange, phase decision.Phase) (decide func(context.Context) decision.Verdict, refused decision.Verdict)
}

// Options say how the server listens. The zero value of a field is its default.
type Options struct {
	// Addr is host:port or unix:/absolute/path; 127.0.0.1:9001 by default. A
	// listener inherited by socket activation (LISTEN_FDS) takes its place.
	Addr string
	// UnixMode is the mode of a unix socket; 0660 by default.
	UnixMode fs.FileMode
	// TLS is the certificate and who may call; the zero value is plain text.
	TLS TLSFiles

	// MaxRecvBytes bounds one received message, in bytes; 16 MiB by default. A
	// larger one is the one input that gets a gRPC error, because the transport
	// refuses it before there is anything to answer. It is above the payload limit
	// of the checker, which answers in between.
	MaxRecvBytes int
	// MaxPayloadBytes is the payload limit of the checker, in bytes; 0 for unknown.
	// A larger payload is not kept: the checker is told its size in Exchange.Dropped
	// and refuses it all the same.
	MaxPayloadBytes int
	// MaxStreams bounds the concurrent calls of one connection; 1000 by default.
	// Under 100 a gateway would queue calls inside its own timeout.
	MaxStreams int
	// MaxConns bounds the connections that may check; 256 by default. A few more
	// are accepted for health probes, and calls on those are shed.
	MaxConns int
	// Reflection answers server reflection.
	Reflection bool
	// Timeout is the deadline of one call; 5 s by default. It is the last resort
	// above the checker's own, and can be changed with [Server.SetTimeout].
	Timeout time.Duration
	// KeepHeaders are the client headers that are kept beside mcp-session-id and
	// x-request-id, in any case.
	KeepHeaders []string

	// Logger takes what happens rarely; nil is silent. It never sees a payload.
	Logger *zap.Logger
	// Observer is told what the checker cannot see.
	Observer Observer
	// ServerOptions are appended to the server's own, for tracing.
	ServerOptions []grpc.ServerOption

	// listener is used instead of Addr, by tests.
	listener net.Listener
	// sendTime is what decided replies get to be sent when the grace is over; 250 ms.
	sendTime time.Duration
}

// Observer counts what happens outside the checker. Every function may be nil and
// must be quick; they are called concurrently.
type Observer struct {
	// Refused: the server refused a call by itself, with this verdict, so that its
	// reference can be found in the same trail as the checker's.
	Refused func(decision.Phase, decision.Verdict)
	// Oversize: the transport refused a message over MaxRecvBytes.
	Oversize func(decision.Phase)
	// Undecodable: a message was not what the contract says and was denied.
	Undecodable func(decision.Phase)
	// Panicked: the checker or the mapping panicked; the call was denied.
	Panicked func(decision.Phase)
	// Overdue: the checker did not answer in time; the call was denied.
	Overdue func(decision.Phase)
	// Shed: a call came over a connection beyond MaxConns and was denied.
	Shed func(decision.Phase)
	// ConnRefused: a connection beyond the reserve for probes was closed, or one that was
	// still shaking hands, for another.
	ConnRefused func()
	// ClientRefused: a client showed no certificate, one that the authorities do not
	// vouch for now, or one without an allowed name.
	ClientRefused func()
	// HandshakeFailed: a TLS handshake failed for another reason, such as plain text, an
	// old protocol, or a client that does not accept our certificate.
	HandshakeFailed func()
	// Certificate: a certificate is in force that ends at this time.
	Certificate func(until time.Time)
	// TLSReloaded: certificates were read again; err says why the old ones stay.
	TLSReloaded func(err error)
}

// Constants of the transport. Each is a limit of this package and not a setting,
// because nobody has had a reason to turn it.
const (
	defaultAddr     = "127.0.0.1:9001"
	defaultUnixMode = fs.FileMode(0o660)
	defaultRecv     = 16 << 20
	defaultStreams  = 1000
	defaultConns    = 256
	defaultTimeout  = 5 * time.Second
	defaultSend     = 250 * time.Millisecond

	// probeConns are accepted beyond MaxConns, so that a probe gets an answer from
	// a server that is full.
	probeConns = 32
	// windowBytes is the HTTP/2 flow-control window of streams and connections:
	// one large result must not stall the others of its connection.
	windowBytes = 1 << 20
	// maxHeaderBytes bounds the HTTP/2 headers of a call; the gateway sends the
	// client's headers in the message, so real ones are small.
	maxHeaderBytes = 64 << 10
	// handshakeTime is what a new connection gets to become HTTP/2.
	handshakeTime = 10 * time.Second
	// slowHandshake is after how much of it another one may take its place; a client that
	// means it is through in a few round trips.
	slowHandshake = time.Second
	// minPing is the shortest interval between a client's keepalive pings that is
	// tolerated, with or without calls in flight: half of the 10 s that is common.
	minPing = 5 * time.Second
	// idleTime is how long a connection may be without a call before it is told to
	// go: a gateway closes its own after 90 s, and what nobody uses must not hold a
	// place for ever.
	idleTime = 10 * time.Minute
	// pingEvery and pingTimeout find clients that are gone without a word.
	pingEvery, pingTimeout = time.Minute, 20 * time.Second
	// handshakeGrace is what connections that are still shaking hands get when a
	// drain begins; without an end they would hold back its GOAWAY.
	handshakeGrace = 500 * time.Millisecond
	// overdueGrace is what a checker gets to notice that its context has ended.
	overdueGrace = 250 * time.Millisecond
)

func (o Options) withDefaults() Options {
	set := func(p *int, def int) {
		if *p == 0 {
			*p = def
		}
	}
	set(&o.MaxRecvBytes, defaultRecv)
	set(&o.MaxStreams, defaultStreams)
	set(&o.MaxConns, defaultConns)
	if o.Addr == "" {
		o.Addr = defaultAddr
	}
	if o.UnixMode == 0 {
		o.UnixMode = defaultUnixMode
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.sendTime == 0 {
		o.sendTime = defaultSend
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	o.Observer.fill()
	return o
}

// fill replaces absent functions, so that callers need not ask.
func (o *Observer) fill() {
	for _, f := range []*func(decision.Phase){&o.Oversize, &o.Undecodable, &o.Panicked, &o.Overdue, &o.Shed} {
		if *f == nil {
			*f = func(decision.Phase) {}
		}
	}
	for _, f := range []*func(){&o.ConnRefused, &o.ClientRefused, &o.HandshakeFailed} {
		if *f == nil {
			*f = func() {}
		}
	}
	if o.Refused == nil {
		o.Refused = func(decision.Phase, decision.Verdict) {}
	}
	if o.Certificate == nil {
		o.Certificate = func(time.Time) {}
	}
	if o.TLSReloaded == nil {
		o.TLSReloaded = func(error) {}
	}
}

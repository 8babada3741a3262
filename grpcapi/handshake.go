package grpcapi

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"go.uber.org/zap"
	"google.golang.org/grpc/credentials"
)

// errNotAllowed is why a client whose authority is right is refused.
var errNotAllowed = errors.New("client certificate carries no allowed name")

// noCertificate is what crypto/tls says of a client that shows none, in an error that
// has no type of its own.
const noCertificate = "client didn't provide a certificate"

// watched tells of handshakes that fail: grpc-go says nothing of them, and who is
// refused sees a connection that ends.
type watched struct {
	credentials.TransportCredentials
	failed func(from net.Addr, err error)
}

// ServerHandshake implements credentials.TransportCredentials.
func (w watched) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	c, info, err := w.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		w.failed(raw.RemoteAddr(), err)
	}
	return c, info, err
}

// Clone implements credentials.TransportCredentials.
func (w watched) Clone() credentials.TransportCredentials {
	return watched{w.TransportCredentials.Clone(), w.failed}
}

// handshakeFailed counts a handshake that was refused, by us or by the client, and
// says so in the log now and then. A connection that ended by itself is somebody's
// look at the port, or our own drain.
func (s *Server) handshakeFailed(from net.Addr, err error) {
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return
		}
	}
	message, said := "TLS handshake failed", &s.handshakes
	if refusesClient(err) {
		message, said = "client certificate refused", &s.strangers // of which others must not take the line
		s.opts.Observer.ClientRefused()
	} else {
		s.opts.Observer.HandshakeFailed()
	}
	if n := said.due(time.Now()); n > 0 {
		s.opts.Logger.Warn(message, zap.String("from", from.String()), zap.String("reason", shown(err.Error())), zap.Int64("count", n))
	}
}

// refusesClient is whether it was the client's certificate, or that there was none.
func refusesClient(err error) bool {
	var unverified *tls.CertificateVerificationError
	return errors.As(err, &unverified) || errors.Is(err, errNotAllowed) || strings.Contains(err.Error(), noCertificate)
}

// sayEvery is how often failing handshakes are worth a line in the log, however many
// there are: whoever reaches the port can make them.
const sayEvery = 10 * time.Second

// seldom decides which of many equal events are said: the first, and then one every
// sayEvery with the number of those it stands for.
type seldom struct {
	unsaid atomic.Int64
	next   atomic.Int64 // when the next line is due, in nanoseconds since 1970
}

// due counts an event and returns how many to report now, 0 for none.
func (s *seldom) due(now time.Time) int64 {
	s.unsaid.Add(1)
	next := s.next.Load()
	// A clock that was set back does not silence it for the time it has lost.
	wait := time.Duration(next - now.UnixNano())
	if 0 < wait && wait <= sayEvery || !s.next.CompareAndSwap(next, now.Add(sayEvery).UnixNano()) {
		return 0
	}
	return s.unsaid.Swap(0)
}

// maxShown bounds a text of the other side in a log line, in bytes.
const maxShown = 256

// shown makes an error printable: names in a certificate are its owner's words.
func shown(text string) string {
	if len(text) > maxShown {
		text = text[:maxShown]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

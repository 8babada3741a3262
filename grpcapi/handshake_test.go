package grpcapi

import (
	"crypto/tls"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// A handshake that fails is counted by whose fault it was and said in the log once,
// with its reason; a look at the port is neither.
func TestFailedHandshakesAreCountedAndSaid(t *testing.T) {
	p := newPKI(t)
	files := p.files
	files.ClientCA = p.path("clients.pem")
	var refused, failed atomic.Int64
	expired := *p.clients
	expired.life = -time.Minute
	untrusting := client(t, newAuthority(t, "strangers"), p.clients, nil, nil)
	old := client(t, p.ca, p.clients, nil, nil)
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	strange := client(t, p.ca, newAuthority(t, "strangers"), nil, nil)
	strange.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return &strange.Certificates[0], nil // whatever the server says that it accepts
	}
	for _, tc := range []struct {
		name    string
		config  *tls.Config // nil: no TLS at all
		refused bool
		says    string
	}{
		{"another authority", strange, true, "unknown authority"},
		{"an expired certificate", client(t, p.ca, &expired, nil, nil), true, "expired"},
		{"no certificate", client(t, p.ca, nil, nil, nil), true, noCertificate},
		{"a client that trusts somebody else", untrusting, false, "bad certificate"},
		{"an old protocol", old, false, "version"},
		{"plain text", nil, false, "handshake"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			core, logs := observer.New(zap.WarnLevel)
			r := start(t, allow, Options{TLS: files, Logger: zap.New(core), Observer: Observer{
				ClientRefused: func() { refused.Add(1) }, HandshakeFailed: func() { failed.Add(1) },
			}})
			refused.Store(0)
			failed.Store(0)
			for range 2 {
				handshake(t, r.Addr().String(), tc.config)
			}
			want, other := &failed, &refused
			if tc.refused {
				want, other = other, want
			}
			require.Eventually(t, func() bool { return want.Load() == 2 }, patience, time.Millisecond)
			require.Zero(t, other.Load())
			require.Equal(t, 1, logs.Len(), "one line, however many there are")
			line := logs.All()[0]
			require.Contains(t, line.ContextMap()["reason"], tc.says)
			require.Equal(t, int64(1), line.ContextMap()["count"])
			require.Equal(t, tc.refused, line.Message == "client certificate refused")
		})
	}
	core, logs := observer.New(zap.WarnLevel)
	r := start(t, allow, Options{TLS: files, Logger: zap.New(core), Observer: Observer{
		ClientRefused: func() { refused.Add(1) }, HandshakeFailed: func() { failed.Add(1) },
	}})
	refused.Store(0)
	failed.Store(0)
	conn, err := net.Dial("tcp", r.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	handshake(t, r.Addr().String(), nil) // comes after it, and is counted
	require.Eventually(t, func() bool { return failed.Load() == 1 }, patience, time.Millisecond)
	require.Zero(t, refused.Load())
	handshake(t, r.Addr().String(), strange)
	require.Eventually(t, func() bool { return refused.Load() == 1 }, patience, time.Millisecond)
	require.Eventually(t, func() bool { return logs.Len() == 2 }, patience, time.Millisecond, "whoever speaks plain text takes no line of a gateway that is refused")
}

// handshake makes one attempt and waits until the server has ended it.
func handshake(t *testing.T, addr string, c *tls.Config) {
	t.Helper()
	raw, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer raw.Close()
	require.NoError(t, raw.SetDeadline(time.Now().Add(patience)))
	conn := raw
	if c == nil {
		_, err := conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
		require.NoError(t, err)
	} else {
		c = c.Clone()
		c.NextProtos = []string{"h2"}
		conn = tls.Client(raw, c)
	}
	for one := make([]byte, 1); err == nil; {
		_, err = conn.Read(one) // the alert, if there is one, and then the end
	}
}

func TestSeldomSaysTheFirstAndThenHowMany(t *testing.T) {
	var s seldom
	now := time.Unix(1000, 0)
	require.EqualValues(t, 1, s.due(now))
	for range 4 {
		require.Zero(t, s.due(now.Add(sayEvery-1)))
	}
	require.EqualValues(t, 5, s.due(now.Add(sayEvery)))
	require.Zero(t, s.due(now.Add(sayEvery)))
	require.EqualValues(t, 2, s.due(now.Add(-time.Hour)), "a clock that was set back does not silence it")
	require.Zero(t, s.due(now.Add(-time.Hour)))
}

func TestShownIsShortAndPrintable(t *testing.T) {
	require.Equal(t, "a\ufffdb", shown("a\x1bb"))
	require.LessOrEqual(t, len(shown(strings.Repeat("x", 1000))), maxShown)
}

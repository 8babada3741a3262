package grpcapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// authority signs certificates for a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	life time.Duration // of what it issues, from now on

	begin time.Duration // of its life, from now on
}

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{cert: cert, key: key, life: time.Hour, begin: -time.Hour}
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// issue returns the PEM of a certificate and its key.
func (a *authority) issue(t testing.TB, serial int64, uris, dns []string) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "spiffe://mesh/gateway"}, DNSNames: dns,
		NotBefore: time.Now().Add(a.begin), NotAfter: time.Now().Add(a.life), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, u := range uris {
		parsed, err := url.Parse(u)
		require.NoError(t, err)
		template.URIs = append(template.URIs, parsed)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &k.PublicKey, a.key)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(k)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// pki is a server's files and the authority that clients trust.
type pki struct {
	dir     string
	ca      *authority
	clients *authority
	files   TLSFiles
}

func newPKI(t testing.TB) *pki {
	p := &pki{dir: t.TempDir(), ca: newAuthority(t, "servers"), clients: newAuthority(t, "clients")}
	p.files = TLSFiles{Cert: p.path("cert.pem"), Key: p.path("key.pem")}
	p.install(t, p.ca, 1)
	p.write(t, "clients.pem", p.clients.pem())
	return p
}

func (p *pki) path(name string) string { return filepath.Join(p.dir, name) }

func (p *pki) write(t testing.TB, name string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(p.path(name), data, 0o600))
}

// install replaces the server's certificate on disk.
func (p *pki) install(t testing.TB, ca *authority, serial int64) {
	cert, key := ca.issue(t, serial, nil, []string{"sallyport"})
	p.write(t, "cert.pem", cert)
	p.write(t, "key.pem", key)
}

// client returns credentials that trust ca and present a certificate of signer
// with the given names, none for a nil signer.
func client(t testing.TB, ca, signer *authority, uris, dns []string) *tls.Config {
	c := &tls.Config{RootCAs: ca.pool(), ServerName: "sallyport"}
	if signer != nil {
		cert, key := signer.issue(t, 7, uris, dns)
		pair, err := tls.X509KeyPair(cert, key)
		require.NoError(t, err)
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}

// try makes one call on a connection of its own and returns the serial number of
// the server's certificate.
func try(t testing.TB, r *running, c *tls.Config) (serial int64, err error) {
	t.Helper()
	var seen atomic.Int64
	c = c.Clone()
	c.VerifyConnection = func(s tls.ConnectionState) error {
		seen.Store(s.PeerCertificates[0].SerialNumber.Int64())
		return nil
	}
	conn := r.dial(t, grpc.WithTransportCredentials(credentials.NewTLS(c)))
	defer conn.Close()
	_, err = extmcp.NewExtMcpClient(conn).CheckRequest(within(t), call("{}"))
	return seen.Load(), err
}

// LC-13: new handshakes use the new files, open connections go on, and a bad new
// pair leaves the old one in force and is counted.
func TestLC13ReloadTLS(t *testing.T) {
	p := newPKI(t)
	var good, bad atomic.Int64
	r := start(t, allow, Options{TLS: p.files, Observer: Observer{TLSReloaded: func(err error) {
		if err == nil {
			good.Add(1)
		} else {
			bad.Add(1)
		}
	}}})
	old := extmcp.NewExtMcpClient(r.dial(t, grpc.WithTransportCredentials(credentials.NewTLS(client(t, p.ca, nil, nil, nil)))))
	_, err := old.CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
	serial, err := try(t, r, client(t, p.ca, nil, nil, nil))
	require.NoError(t, err)
	require.EqualValues(t, 1, serial)

	p.install(t, p.ca, 2)
	require.NoError(t, r.ReloadTLS(p.files))
	serial, err = try(t, r, client(t, p.ca, nil, nil, nil))
	require.NoError(t, err)
	require.EqualValues(t, 2, serial)
	_, err = old.CheckRequest(within(t), call("{}"))
	require.NoError(t, err, "open connections go on")

	p.write(t, "key.pem", []byte("half a file"))
	require.ErrorContains(t, r.ReloadTLS(p.files), "load TLS certificate")
	serial, err = try(t, r, client(t, p.ca, nil, nil, nil))
	require.NoError(t, err)
	require.EqualValues(t, 2, serial, "the old pair stays")
	require.ErrorContains(t, r.ReloadTLS(TLSFiles{}), "needs a restart")
	require.EqualValues(t, 1, good.Load())
	require.EqualValues(t, 2, bad.Load())
}

func TestReloadOfPlainTextIsNothing(t *testing.T) {
	p := newPKI(t)
	r := start(t, allow, Options{})
	require.NoError(t, r.ReloadTLS(TLSFiles{}))
	require.ErrorContains(t, r.ReloadTLS(p.files), "needs a restart")
}

func TestMutualTLS(t *testing.T) {
	p := newPKI(t)
	files := p.files
	files.ClientCA = p.path("clients.pem")
	files.AllowedSANs = []string{"spiffe://mesh/gateway", "Gateway.example"}
	var refused atomic.Int64
	r := start(t, allow, Options{TLS: files, Observer: Observer{ClientRefused: func() { refused.Add(1) }}})
	stranger := newAuthority(t, "strangers")
	for _, tc := range []struct {
		name    string
		signer  *authority
		uri     []string
		dns     []string
		allowed bool
		counted bool
	}{
		{"the URI", p.clients, []string{"spiffe://mesh/gateway"}, nil, true, false},
		{"the DNS name in another case", p.clients, nil, []string{"gateway.EXAMPLE"}, true, false},
		{"one name of several", p.clients, []string{"spiffe://mesh/a"}, []string{"x", "gateway.example"}, true, false},
		{"another URI", p.clients, []string{"spiffe://mesh/gateway2"}, nil, false, true},
		{"a longer DNS name", p.clients, nil, []string{"a.gateway.example"}, false, true},
		{"only the common name", p.clients, nil, nil, false, true},
		{"another authority", stranger, []string{"spiffe://mesh/gateway"}, nil, false, true},
		{"no certificate", nil, nil, nil, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refused.Store(0)
			_, err := try(t, r, client(t, p.ca, tc.signer, tc.uri, tc.dns))
			if tc.allowed {
				require.NoError(t, err)
				return
			}
			require.Equal(t, codes.Unavailable, status.Code(err))
			// The client may know before the server has counted.
			require.Eventually(t, func() bool { return tc.counted == (refused.Load() > 0) }, patience, time.Millisecond)
		})
	}
	// The allow-list and the authorities are reloaded too.
	files.AllowedSANs = []string{"spiffe://mesh/gateway2"}
	require.NoError(t, r.ReloadTLS(files))
	_, err := try(t, r, client(t, p.ca, p.clients, []string{"spiffe://mesh/gateway2"}, nil))
	require.NoError(t, err)
	p.write(t, "clients.pem", stranger.pem())
	require.NoError(t, r.ReloadTLS(files))
	_, err = try(t, r, client(t, p.ca, p.clients, []string{"spiffe://mesh/gateway2"}, nil))
	require.Equal(t, codes.Unavailable, status.Code(err))
}

func TestTransportRefusesDowngrades(t *testing.T) {
	p := newPKI(t)
	r := start(t, allow, Options{TLS: p.files})
	_, err := extmcp.NewExtMcpClient(r.dial(t, plain())).CheckRequest(within(t), call("{}"))
	require.Equal(t, codes.Unavailable, status.Code(err), "plain text on a TLS port")

	c := client(t, p.ca, nil, nil, nil)
	c.MaxVersion = tls.VersionTLS11
	_, err = tls.Dial("tcp", r.Addr().String(), c)
	require.Error(t, err)
	c = client(t, p.ca, nil, nil, nil)
	c.NextProtos = []string{"h2", "http/1.1"}
	conn, err := tls.Dial("tcp", r.Addr().String(), c)
	require.NoError(t, err)
	require.Equal(t, "h2", conn.ConnectionState().NegotiatedProtocol)
	require.NoError(t, conn.Close())
	// Without HTTP/2 agreed on, the connection is closed after the handshake.
	c.NextProtos = []string{"http/1.1"}
	conn, err = tls.Dial("tcp", r.Addr().String(), c)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, conn.Close())
}

func TestBadTLSFilesStopTheStart(t *testing.T) {
	p := newPKI(t)
	p.write(t, "empty.pem", nil)
	for name, tc := range map[string]struct {
		change func(*TLSFiles)
		want   string
	}{
		"no key":           {func(f *TLSFiles) { f.Key = "" }, "load TLS certificate"},
		"no such file":     {func(f *TLSFiles) { f.Cert = p.path("absent.pem") }, "no such file"},
		"no authority":     {func(f *TLSFiles) { f.ClientCA = p.path("absent.pem") }, "load client authorities"},
		"empty authority":  {func(f *TLSFiles) { f.ClientCA = p.path("empty.pem") }, "no certificate in it"},
		"names without CA": {func(f *TLSFiles) { f.AllowedSANs = []string{"a"} }, "without client authorities"},
	} {
		t.Run(name, func(t *testing.T) {
			files := p.files
			tc.change(&files)
			_, err := New(checkFunc(allow), Options{TLS: files})
			require.ErrorContains(t, err, tc.want)
			require.ErrorContains(t, files.Check(), tc.want)
		})
	}
	require.NoError(t, p.files.Check())
}

// An expired certificate does not take the place of one that may have time left. A
// server that has nothing else says so and comes up: its clock may be wrong.
func TestExpiredCertificate(t *testing.T) {
	p := newPKI(t)
	s, err := New(nil, Options{TLS: p.files})
	require.NoError(t, err)
	p.ca.life = -time.Minute
	p.install(t, p.ca, 2)
	require.ErrorContains(t, s.ReloadTLS(p.files), "expired on")
	require.EqualValues(t, 1, s.tls.leaf().SerialNumber.Int64())

	core, logs := observer.New(zap.WarnLevel)
	late, err := New(nil, Options{TLS: p.files, Addr: "127.0.0.1:0", Logger: zap.New(core)})
	require.NoError(t, err)
	require.NoError(t, late.Listen())
	late.Stop()
	require.Equal(t, 1, logs.FilterMessage("clients will not accept the TLS certificate").Len())
	require.ErrorContains(t, p.files.Check(), "it expired on ", "which nobody installs on purpose")
	p.ca.life, p.ca.begin = 2*time.Hour, time.Hour
	p.install(t, p.ca, 4)
	require.ErrorContains(t, p.files.Check(), "it is not valid before ")
	require.ErrorContains(t, late.ReloadTLS(p.files), "it is not valid before ")
	p.ca.begin = time.Minute // a clock that is a little ahead
	p.install(t, p.ca, 5)
	require.NoError(t, p.files.Check())
	p.ca.begin = -time.Hour
	p.ca.life = time.Hour
	p.install(t, p.ca, 3)
	require.NoError(t, late.ReloadTLS(p.files))
	require.EqualValues(t, 3, late.tls.leaf().SerialNumber.Int64())
}

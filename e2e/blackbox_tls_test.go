//go:build unix

package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// authority is a certificate authority of a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t}
	a.key = a.newKey()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	require.NoError(t, err)
	a.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.pem = encodePEM("CERTIFICATE", der)
	return a
}

func (a *authority) newKey() *ecdsa.PrivateKey {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	return key
}

// issue makes a certificate and its key. A name with a scheme is a URI, any other a
// DNS name.
func (a *authority) issue(serial int64, common string, names ...string) (certPEM, keyPEM string) {
	a.t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: common},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	for _, n := range names {
		if u, err := url.Parse(n); err == nil && u.Scheme != "" {
			template.URIs = append(template.URIs, u)
			continue
		}
		template.DNSNames = append(template.DNSNames, n)
	}
	key := a.newKey()
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	require.NoError(a.t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	return encodePEM("CERTIFICATE", der), encodePEM("PRIVATE KEY", raw)
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// trusting is a client's configuration that trusts the authority.
func (a *authority) trusting() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
}

// as is the configuration of a client that also shows a certificate.
func (a *authority) as(certPEM, keyPEM string) *tls.Config {
	a.t.Helper()
	pair, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	require.NoError(a.t, err)
	c := a.trusting()
	c.Certificates = []tls.Certificate{pair}
	return c
}

// over makes one call over a connection of its own, and says which certificate the
// server showed.
func (s *sidecar) over(c *tls.Config) (serial int64, err error) {
	s.t.Helper()
	creds := insecure.NewCredentials()
	if c != nil {
		c = c.Clone()
		c.VerifyConnection = func(state tls.ConnectionState) error {
			serial = state.PeerCertificates[0].SerialNumber.Int64()
			return nil
		}
		creds = credentials.NewTLS(c)
	}
	conn, err := grpc.NewClient("passthrough:///"+s.addr, grpc.WithTransportCredentials(creds))
	require.NoError(s.t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := toolCall(`{"name":"forecast"}`).send(ctx, conn)
	if err == nil {
		require.Equal(s.t, "pass", r.verdict)
	}
	return serial, err
}

// tlsSidecar starts a sidecar with a certificate and waits until it answers.
func tlsSidecar(t *testing.T, a *authority, more env) (s *sidecar, files env) {
	t.Helper()
	dir := t.TempDir()
	cert, key := a.issue(10, "sidecar", "localhost")
	files = env{"TLS_CERT_FILE": filepath.Join(dir, "tls.crt"), "TLS_KEY_FILE": filepath.Join(dir, "tls.key")}
	replaceFile(t, files["TLS_CERT_FILE"], cert)
	replaceFile(t, files["TLS_KEY_FILE"], key)
	s = launch(t, noModel.with(files).with(more))
	s.awaitLog("phase", func(l logLine) bool { return l.text("to") == "serving" })
	return s, files
}

func TestBlackboxTLS(t *testing.T) {
	t.Parallel()
	a, stranger := newAuthority(t, "ours"), newAuthority(t, "theirs")
	s, files := tlsSidecar(t, a, nil)
	serial, err := s.over(a.trusting())
	require.NoError(t, err)
	require.EqualValues(t, 10, serial)
	_, err = s.over(nil)
	require.Equal(t, codes.Unavailable, status.Code(err), "plain text on a TLS port")
	_, err = s.over(stranger.trusting())
	require.Equal(t, codes.Unavailable, status.Code(err), "a client that trusts somebody else")
	old := a.trusting()
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	_, err = s.over(old)
	require.Equal(t, codes.Unavailable, status.Code(err), "TLS 1.1")

	ca := writeFile(t, "ca.pem", a.pem)
	code, out := run1(t, nil, "health", "--addr", s.addr, "--ca", ca)
	require.Zero(t, code, out)
	code, out = run1(t, nil, "health", "--addr", s.addr)
	require.Equal(t, 1, code, out)

	// A renewed certificate is shown after a signal; a broken one changes nothing.
	reloaded := func(result string) float64 { return s.metric("mcp_guardrails_tls_reload_total", "result", result) }
	cert, key := a.issue(11, "sidecar", "localhost")
	replaceFile(t, files["TLS_CERT_FILE"], cert)
	replaceFile(t, files["TLS_KEY_FILE"], key)
	s.signal(syscall.SIGHUP)
	eventually(t, func() bool { return reloaded("success") == 1 }, "no reload")
	serial, err = s.over(a.trusting())
	require.NoError(t, err)
	require.EqualValues(t, 11, serial)
	_, foreign := a.issue(12, "sidecar", "localhost")
	replaceFile(t, files["TLS_KEY_FILE"], foreign)
	s.signal(syscall.SIGHUP)
	eventually(t, func() bool { return reloaded("error") == 1 }, "no failed reload")
	s.awaitLog("reload failed", func(l logLine) bool { return l.text("part") == "certificates" })
	serial, err = s.over(a.trusting())
	require.NoError(t, err)
	require.EqualValues(t, 11, serial)
}

func TestBlackboxMutualTLS(t *testing.T) {
	t.Parallel()
	const gateway, other = "spiffe://mesh/ns/gw/sa/agentgateway", "spiffe://mesh/ns/gw/sa/other"
	a, stranger := newAuthority(t, "ours"), newAuthority(t, "theirs")
	ca := writeFile(t, "ca.pem", a.pem)
	config := writeFile(t, "sallyport.yaml", "tls: {allowed_sans: ["+gateway+", gw.mesh.example]}\n")
	s, files := tlsSidecar(t, a, env{"TLS_CLIENT_CA_FILE": ca, "CONFIG": config})

	for _, row := range []struct {
		name  string
		from  *authority
		names []string
		ok    bool
	}{
		{"the gateway", a, []string{gateway}, true},
		{"by DNS name", a, []string{"gw.mesh.example"}, true},
		{"by DNS name in another case", a, []string{"GW.mesh.example"}, true},
		{"one name of several", a, []string{other, gateway}, true},
		{"another service", a, []string{other}, false},
		{"a longer name", a, []string{gateway + "/x"}, false},
		{"a URI as a DNS name", a, []string{"x.gw.mesh.example"}, false},
		{"no name but the common one", a, nil, false},
		{"another authority", stranger, []string{gateway}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := s.on(t)
			cert, key := row.from.issue(20, gateway, row.names...)
			_, err := s.over(a.as(cert, key))
			if row.ok {
				require.NoError(t, err)
				return
			}
			require.Equal(t, codes.Unavailable, status.Code(err))
		})
	}
	_, err := s.over(a.trusting())
	require.Equal(t, codes.Unavailable, status.Code(err), "no certificate at all")
	eventually(t, func() bool {
		return s.metric("mcp_guardrails_transport_refused_total", "reason", "client_certificate") == 6
	}, "not all were counted")
	s.awaitLog("client certificate refused", func(l logLine) bool { return l.text("reason") != "" })

	// The list can be changed by a signal, for connections that come later.
	replaceFile(t, config, "tls: {allowed_sans: ["+other+"]}\n")
	s.signal(syscall.SIGHUP)
	eventually(t, func() bool { return s.metric("mcp_guardrails_tls_reload_total", "result", "success") == 1 }, "no reload")
	cert, key := a.issue(21, "x", other)
	_, err = s.over(a.as(cert, key))
	require.NoError(t, err)
	certFile, keyFile := writeFile(t, "c.pem", cert), writeFile(t, "k.pem", key)
	code, out := run1(t, nil, "health", "--addr", s.addr, "--ca", ca, "--cert", certFile, "--key", keyFile)
	require.Zero(t, code, out)
	cert, key = a.issue(22, "x", gateway)
	_, err = s.over(a.as(cert, key))
	require.Equal(t, codes.Unavailable, status.Code(err))

	// The image's own probe has the sidecar's environment and nothing to show.
	beside := files.with(env{"LISTEN_ADDR": s.addr, "ADMIN_ADDR": s.admin})
	for _, name := range []string{"", "ExtMcp", "agentgateway.dev.ext_mcp.ExtMcp", "liveness"} {
		code, out := run1(t, beside, "health", "--service", name)
		require.Zero(t, code, out)
		require.Equal(t, "SERVING\n", out)
	}
	code, out = run1(t, beside, "health", "--service", "no.such")
	require.Equal(t, 1, code, out)
	code, out = run1(t, beside.with(env{"ADMIN_ADDR": freeAddr(t)}), "health")
	require.Equal(t, 1, code, out)
}

package grpcapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/internal/plainfile"
)

// TLSFiles are the certificate of the server and who may call it.
type TLSFiles struct {
	// Cert and Key are PEM files; both or neither.
	Cert, Key string
	// ClientCA is a PEM file of authorities; "" does not ask clients for a
	// certificate.
	ClientCA string
	// AllowedSANs are URIs or DNS names, of which a client's certificate must carry
	// one, compared exactly but for the case of DNS names. Empty allows every
	// certificate of ClientCA.
	AllowedSANs []string
}

// Enabled reports whether there is a certificate.
func (f TLSFiles) Enabled() bool { return f.Cert != "" || f.Key != "" }

// Check reads the files as a server does at its start and says what is wrong, a
// certificate that no client would accept today included: a server comes up with it,
// because its clock may be wrong, but nobody installs one on purpose.
func (f TLSFiles) Check() error {
	r, err := newReloader(f)
	if err != nil {
		return err
	}
	if fault := lifeFault(r.leaf(), time.Now()); fault != "" {
		return fmt.Errorf("TLS certificate %q: %s", f.Cert, fault)
	}
	return nil
}

// reloader holds the TLS configuration that new handshakes use.
type reloader struct {
	current atomic.Pointer[tls.Config]
}

func newReloader(f TLSFiles) (*reloader, error) {
	r := &reloader{}
	return r, r.load(f)
}

// config asks for the configuration in force at every handshake.
func (r *reloader) config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"h2"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return r.current.Load(), nil },
	}
}

// load reads the files and, if all of them are right, puts them in force.
func (r *reloader) load(f TLSFiles) error {
	again, read := r.current.Load() != nil, plainfile.ReadOrWait
	if again {
		read = plainfile.Read // at the start a pipe may be meant, and a stop ends the wait
	}
	pair, err := keyPair(f, read)
	if err != nil {
		return fmt.Errorf("load TLS certificate %q with key %q: %w", f.Cert, f.Key, err)
	}
	if fault := lifeFault(pair.Leaf, time.Now()); fault != "" && again {
		// The one in force may have time left. At the start there is none, and a clock
		// that is wrong must not keep the server from coming up.
		return fmt.Errorf("load TLS certificate %q: %s", f.Cert, fault)
	}
	c := &tls.Config{
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2"},
		Certificates: []tls.Certificate{pair},
		// A resumed session would outlive the authorities it was checked against.
		SessionTicketsDisabled: true,
	}
	if f.ClientCA != "" {
		if c.ClientCAs, err = pool(f.ClientCA, read); err != nil {
			return err
		}
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	if len(f.AllowedSANs) > 0 {
		if f.ClientCA == "" {
			return errors.New("load TLS: allowed names without client authorities")
		}
		allowed := slices.Clone(f.AllowedSANs)
		c.VerifyConnection = func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) > 0 && allows(allowed, s.PeerCertificates[0]) {
				return nil
			}
			return errNotAllowed
		}
	}
	r.current.Store(c)
	return nil
}

// leaf is the certificate in force.
func (r *reloader) leaf() *x509.Certificate { return r.current.Load().Certificates[0].Leaf }

// clockSlack is how far the clock of whoever issues certificates may be ahead of ours.
const clockSlack = 5 * time.Minute

// lifeFault is why no client that looks at the time will accept the certificate, ""
// where one will.
func lifeFault(leaf *x509.Certificate, now time.Time) string {
	switch {
	case now.After(leaf.NotAfter):
		return "it expired on " + leaf.NotAfter.UTC().Format(time.DateTime)
	case now.Add(clockSlack).Before(leaf.NotBefore):
		return "it is not valid before " + leaf.NotBefore.UTC().Format(time.DateTime)
	}
	return ""
}

func keyPair(f TLSFiles, read func(path string) ([]byte, error)) (tls.Certificate, error) {
	cert, err := read(f.Cert)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := read(f.Key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

func pool(file string, read func(path string) ([]byte, error)) (*x509.CertPool, error) {
	pem, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("load client authorities: %w", err)
	}
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("load client authorities %q: no certificate in it", file)
	}
	return p, nil
}

// allows reports whether the certificate carries one of the names. The common name
// is not a name.
func allows(allowed []string, cert *x509.Certificate) bool {
	for _, name := range allowed {
		for _, u := range cert.URIs {
			if u.String() == name {
				return true
			}
		}
		for _, d := range cert.DNSNames {
			if strings.EqualFold(d, name) {
				return true
			}
		}
	}
	return false
}

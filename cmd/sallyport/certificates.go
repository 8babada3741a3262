package main

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/grpcapi"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/rules"
)

// certificateInterval is how often the TLS files are looked at. Whoever renews them
// seldom sends a signal, and in a container there may be nobody who could.
const certificateInterval = 10 * time.Second

// certificates remembers how the TLS files looked when they were last read.
type certificates struct{ read atomic.Pointer[string] }

// reading notes how the files look now. It is called before they are read, so that a
// change in between counts.
func (c *certificates) reading(f grpcapi.TLSFiles) {
	look := stamp(f)
	c.read.Store(&look)
}

// changed reports whether the files look otherwise than when they were read.
func (c *certificates) changed(look string) bool {
	read := c.read.Load()
	return read == nil || *read != look
}

// stamp is a text that changes when the files may have.
func stamp(f grpcapi.TLSFiles) string {
	var looks []string
	for _, path := range []string{f.Cert, f.Key, f.ClientCA} {
		looks = append(looks, rules.Stamp(path))
	}
	return strings.Join(looks, "\n")
}

// readCertificates puts the files in force, or says in the log why the old ones stay.
// It runs in turn with reloads: the names that are allowed come from the settings.
func (s *sidecar) readCertificates(files grpcapi.TLSFiles) error {
	s.certificates.reading(files)
	err := s.server.ReloadTLS(files)
	if err != nil {
		s.log.Error(telemetry.MsgReloadFailed, zap.String(telemetry.KeyPart, "certificates"), zap.Error(err))
	} // the server logs what is in force now
	return err
}

// renew reads the TLS files again when they have changed and look the same twice in a
// row: a certificate and its key are two files. It ends with ctx.
func (s *sidecar) renew(ctx context.Context, ticks <-chan time.Time) {
	files := func() grpcapi.TLSFiles { return tlsFiles(s.settings.Load()) }
	seen := stamp(files())
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		now := stamp(files())
		settled := now == seen
		seen = now
		if !settled || !s.certificates.changed(now) {
			continue
		}
		s.reloads.alone(func() {
			if now == stamp(files()) && s.certificates.changed(now) { // no reload came first
				s.log.Info("certificates changed on disk", zap.String(telemetry.KeyReason, "watch"))
				_ = s.readCertificates(files()) // it has been said
			}
		})
	}
}

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

// certificateRetry is after how many looks files that were refused are read again,
// though they look as they did: whom they belong to does not show, nor that the time
// has come from which a certificate is valid.
const certificateRetry = 6

// certificates remembers how the TLS files looked when they were last read, and whether
// they were refused.
type certificates struct {
	read    atomic.Pointer[string]
	refused atomic.Bool
}

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
	s.certificates.refused.Store(err != nil)
	if err != nil {
		s.log.Error(telemetry.MsgReloadFailed, zap.String(telemetry.KeyPart, "certificates"), zap.Error(err))
	} // the server logs what is in force now
	return err
}

// renew reads the TLS files again when they have changed and look the same twice in a
// row: a certificate and its key are two files. Those that were refused are tried again
// later. It ends with ctx.
func (s *sidecar) renew(ctx context.Context, ticks <-chan time.Time) {
	files := func() grpcapi.TLSFiles { return tlsFiles(s.settings.Load()) }
	seen, looks := stamp(files()), 0 // since they were refused
	due := func(look string) bool {
		return s.certificates.changed(look) || s.certificates.refused.Load() && looks >= certificateRetry
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		now := stamp(files())
		settled := now == seen
		seen = now
		if looks++; !s.certificates.refused.Load() {
			looks = 0
		}
		if !settled || !due(now) {
			continue
		}
		s.reloads.alone(func() {
			if now != stamp(files()) || !due(now) {
				return // they change yet, or a reload came first
			}
			if s.certificates.changed(now) {
				s.log.Info("certificates changed on disk", zap.String(telemetry.KeyReason, "watch"))
			}
			_ = s.readCertificates(files()) // it has been said
			looks = 0
		})
	}
}

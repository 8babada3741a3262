package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sallyport-mcp/sallyport/grpcapi"
	"github.com/sallyport-mcp/sallyport/internal/config"
)

// selfSigned writes a certificate and its key.
func selfSigned(t *testing.T, f grpcapi.TLSFiles, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	c := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write := func(path, kind string, der []byte) {
		// Renamed into place, as whoever renews does, so that every time is another file.
		require.NoError(t, os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		require.NoError(t, os.Chtimes(path+".new", now, now.Add(time.Duration(serial)*time.Second)))
		require.NoError(t, os.Rename(path+".new", path))
	}
	write(f.Cert, "CERTIFICATE", der)
	write(f.Key, "PRIVATE KEY", pkcs8)
}

// A renewed certificate is taken without a signal, once; half of one is waited for, one
// that was refused is tried again, and a reload that comes first leaves nothing to do.
func TestRenewedCertificatesAreTakenWithoutASignal(t *testing.T) {
	dir := t.TempDir()
	files := grpcapi.TLSFiles{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	selfSigned(t, files, 1)
	var good, bad int
	core, logs := observer.New(zap.InfoLevel)
	s := &sidecar{log: zap.New(core)}
	s.reloads = newOnce(func() {})
	s.settings.Store(&config.Settings{TLSCertFile: files.Cert, TLSKeyFile: files.Key})
	s.certificates.reading(files)
	server, err := grpcapi.New(nil, grpcapi.Options{TLS: files, Observer: grpcapi.Observer{TLSReloaded: func(err error) {
		if err != nil {
			bad++
			return
		}
		good++
	}}})
	require.NoError(t, err)
	s.server = server

	ctx, cancel := context.WithCancel(t.Context())
	ticks, done := make(chan time.Time), make(chan struct{})
	go func() { defer close(done); s.renew(ctx, ticks) }()
	// A tick is taken when the one before has been dealt with.
	look := func(times int) {
		for range times + 1 {
			ticks <- time.Time{}
		}
	}
	look(3)
	require.Zero(t, good+bad, "nothing changed")

	selfSigned(t, files, 2)
	look(3)
	require.Equal(t, 1, good)

	key, err := os.ReadFile(files.Key)
	require.NoError(t, err)
	require.NoError(t, os.Remove(files.Key))
	look(3)
	require.Equal(t, 1, bad, "said once, and the old one stays")
	require.Equal(t, 1, logs.FilterMessage("reload failed").Len())
	require.NoError(t, os.WriteFile(files.Key, key, 0o600))
	look(3)
	require.Equal(t, 2, good)

	selfSigned(t, files, 3)
	s.reloads.alone(func() { require.NoError(t, s.readCertificates(files)) })
	look(3)
	require.Equal(t, 3, good, "the reload was first")

	// What does not show in how files look: here that another key was put in place with
	// the times of the old one, as a file's owner or a clock would.
	key, err = os.ReadFile(files.Key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files.Key, bytes.Repeat([]byte("x"), len(key)), 0o600))
	look(2)
	require.Equal(t, 2, bad)
	info, err := os.Stat(files.Key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files.Key, key, 0o600))
	require.NoError(t, os.Chtimes(files.Key, info.ModTime(), info.ModTime()))
	look(1)
	require.Equal(t, 3, good, "nothing is seen")
	look(certificateRetry)
	require.Equal(t, 4, good, "files that were refused are tried again")
	require.Equal(t, 2, bad)
	cancel()
	<-done
}

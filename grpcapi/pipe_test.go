//go:build unix

package grpcapi

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe in the place of a file is refused, where its opening would hold up this reload
// and all that come after it for ever: nobody writes to it. A device is one at no time.
func TestReloadDoesNotWaitForAPipe(t *testing.T) {
	p := newPKI(t)
	p.files.ClientCA = p.path("clients.pem")
	s, err := New(nil, Options{TLS: p.files})
	require.NoError(t, err)
	pipe := p.path("pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, place := range []*string{&p.files.Cert, &p.files.Key, &p.files.ClientCA} {
		file := *place
		*place = pipe
		require.ErrorContains(t, s.ReloadTLS(p.files), "is not a regular file")
		*place = os.DevNull
		require.ErrorContains(t, s.ReloadTLS(p.files), "is not a regular file")
		_, err := New(nil, Options{TLS: p.files})
		require.ErrorContains(t, err, "is neither a regular file nor a pipe")
		*place = file
	}
	require.NoError(t, s.ReloadTLS(p.files))
}

//go:build unix

package audit

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

var errLocked = errors.New("another process writes to it")

// lock keeps a second process from appending to the same chain, which would fork it. The lock goes with the open file, so a
// crash leaves none behind. Pipes and devices (/dev/stderr) are not locked: they have no chain to resume.
func lock(f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errLocked
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
		return nil // some network file systems have no locks; the chain still shows a fork
	}
	return err
}

// nameless reports whether an open file was deleted: what is written to it ends with its last descriptor.
func nameless(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}

// Package plainfile reads files that must have an end. It is asked by reloads, which
// run in turn: one that waits would hold up all that come after it; and by the start,
// which may be told to read from a pipe. It reads nothing but what it is told to, and
// never from a device.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Limit bounds what Read and ReadOrWait return, in bytes. It is far above any file of
// settings, keys or certificates.
const Limit = 16 << 20

// Read is os.ReadFile for regular files, and links to them, up to Limit; see Open.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	return readAll(f)
}

// ReadOrWait also reads from a pipe, for as long as its writer takes. Whoever calls it
// must be able to do without an answer.
func ReadOrWait(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := fault(f, fs.ModeNamedPipe, "neither a regular file nor a pipe"); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return readAll(f)
}

// Open opens a regular file, or a link to one, for reading. Anything else is refused at
// once: a pipe that nobody writes to would hold up its opening for ever.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := fault(f, 0, "not a regular file"); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// fault is why a file is not read: it is what is said when it is neither regular nor of
// the other type.
func fault(f *os.File, other fs.FileMode, said string) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a directory", f.Name())
	case info.Mode().IsRegular() || info.Mode().Type() == other:
		return nil
	}
	return fmt.Errorf("%q is %s", f.Name(), said)
}

func readAll(f *os.File) (data []byte, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	if data, err = io.ReadAll(io.LimitReader(f, Limit+1)); err != nil {
		return nil, err
	}
	if len(data) > Limit {
		return nil, fmt.Errorf("%q holds more than %d bytes", f.Name(), Limit)
	}
	return data, nil
}

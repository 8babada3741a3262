// Package plainfile reads files that must have an end. It is asked by reloads, which
// run in turn: one that waits would hold up all that come after it. It reads nothing
// but what it is told to, and never waits for a writer.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Read is os.ReadFile for regular files, and links to them; see Open.
func Read(path string) (data []byte, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(f)
}

// Open opens a regular file, or a link to one, for reading. Anything else is refused at
// once: a pipe that nobody writes to would hold up its opening for ever.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

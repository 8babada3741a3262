package audit

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// FS is the part of a file system that Writer uses; a test can put a faulty disk behind it.
type FS interface {
	// OpenAppend opens path for appending, creating it with mode 0600. It fails when another process writes to it.
	OpenAppend(path string) (File, error)
	// Open opens path for reading.
	Open(path string) (ReadFile, error)
	// Stat describes path; fs.ErrNotExist when there is none.
	Stat(path string) (fs.FileInfo, error)
	// ReadDir lists dir.
	ReadDir(dir string) ([]fs.DirEntry, error)
}

// File is an open audit file. Every Write goes to its current end.
type File interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

// ReadFile is a file opened for reading.
type ReadFile interface {
	io.Reader
	io.ReaderAt
	Stat() (fs.FileInfo, error)
	Close() error
}

// OS returns the real file system.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) OpenAppend(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return f, nil
}

func (osFS) Open(path string) (ReadFile, error)        { return os.Open(path) }
func (osFS) Stat(path string) (fs.FileInfo, error)     { return os.Stat(path) }
func (osFS) ReadDir(dir string) ([]fs.DirEntry, error) { return os.ReadDir(dir) }

//go:build chaos

package chaos

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// ailment is what is wrong with the disk.
type ailment uint8

const (
	healthy ailment = iota
	full            // no write gets through
	short           // a write gets through in part
	lazy            // nothing can be forced out
	stuck           // a write does not come back until the disk is healed
	ailments
)

func (a ailment) String() string {
	return [...]string{"healthy", "full", "short", "lazy", "stuck"}[a]
}

// disk is a real file system that can be made to fail under the audit writer.
type disk struct {
	audit.FS

	mu     sync.Mutex
	state  ailment
	since  time.Time     // when the state was entered
	healed chan struct{} // closed when the state is left
	rnd    *rand.Rand
	hurt   bool // it was ever ill
}

func newDisk(seed uint64) *disk {
	return &disk{FS: audit.OS(), healed: make(chan struct{}), rnd: rand.New(rand.NewPCG(seed, streamDisk))}
}

func (d *disk) set(a ailment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.healed)
	d.state, d.healed, d.since = a, make(chan struct{}), time.Now()
	d.hurt = d.hurt || a != healthy
}

// fullSince is since when nothing gets through, the zero time when something does.
func (d *disk) fullSince() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state != full {
		return time.Time{}
	}
	return d.since
}

func (d *disk) wasHurt() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hurt
}

// OpenAppend opens a file whose writes fail when the disk does.
func (d *disk) OpenAppend(path string) (audit.File, error) {
	f, err := d.FS.OpenAppend(path)
	if err != nil {
		return nil, err
	}
	return &sickFile{File: f, disk: d}, nil
}

type sickFile struct {
	audit.File
	disk *disk
}

var errIO = &fs.PathError{Op: "write", Path: "audit", Err: syscall.EIO}

// Write is that of the disk's state.
func (f *sickFile) Write(p []byte) (int, error) {
	d := f.disk
	d.mu.Lock()
	state, healed, part := d.state, d.healed, d.rnd.IntN(len(p)+1)
	d.mu.Unlock()
	switch state {
	case full:
		return 0, &fs.PathError{Op: "write", Path: "audit", Err: syscall.ENOSPC}
	case short:
		n, err := f.File.Write(p[:part])
		return n, errors.Join(errIO, err)
	case stuck:
		<-healed
	}
	return f.File.Write(p)
}

// Sync fails on a lazy disk.
func (f *sickFile) Sync() error {
	f.disk.mu.Lock()
	state := f.disk.state
	f.disk.mu.Unlock()
	if state == lazy || state == full {
		return errIO
	}
	return f.File.Sync()
}

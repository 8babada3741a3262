package sallyport

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/actors"
)

// Pins of tool definitions, for programs that show or approve them.
type (
	// Pin is the definition that a tool is held to.
	Pin = actors.Pin
	// PinFile is the path of a pins file; see [Config].PinsFile.
	PinFile = actors.PinFile
)

// ChangedMembers names the members in which a pinned definition and the latest
// one differ, in order; nil when they do not differ.
func ChangedMembers(p Pin) []string {
	if p.Seen == nil {
		return nil
	}
	return actors.Changed(p.Fields, p.Seen.Fields)
}

// CheckPinsFile says what keeps an engine from starting with a pins file: one that
// holds something else, or a folder that is not there. A file that is not there yet is
// made; "" is no file.
func CheckPinsFile(path string) error {
	if err := pinsFolder(path); err != nil {
		return err
	}
	if path == "" {
		return nil
	}
	_, err := PinFile(path).Load()
	return err
}

// pinsFolder refuses a path at which no file can ever be made: who names a file wants
// pins to outlive the process, and would learn that they did not from a tool that
// changed in between.
func pinsFolder(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(filepath.Dir(path))
	switch {
	case err != nil:
		return fmt.Errorf("pins file %q: %w", path, err)
	case !info.IsDir():
		return fmt.Errorf("pins file %q: %q is not a directory", path, filepath.Dir(path))
	}
	return nil
}

// saveLog decides which failed saves of pins, and of the audit file, are worth a line in
// the log: the first, then one a minute. They are tried again every second.
type saveLog struct {
	failing atomic.Bool
	next    atomic.Int64 // when the next line is due, in seconds since 1970
}

// saved notes one attempt, and reports whether it failed and that is to be said, or
// whether it is the first that succeeded again. One save runs at a time.
func (l *saveLog) saved(err error, now time.Time) (say, recovered bool) {
	if err == nil {
		return false, l.failing.Swap(false)
	}
	// A clock that was set back does not silence it for the time it has lost.
	if wait := l.next.Load() - now.Unix(); l.failing.Swap(true) && 0 < wait && wait <= 60 {
		return false, false
	}
	l.next.Store(now.Add(time.Minute).Unix())
	return true, false
}

package audit

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Stdout is the path that stands for standard output. A chain on standard output begins anew with each process.
const Stdout = "-"

const (
	checkpointLines = 1000             // a checkpoint follows at the latest after so many lines
	checkpointEvery = 10 * time.Second // or so long after the first line that none covers
	syncEvery       = time.Second      // under SyncInterval
)

// SyncPolicy says when written lines are forced to the disk.
type SyncPolicy uint8

const (
	// SyncInterval calls fsync about once a second while there is something to force.
	SyncInterval SyncPolicy = iota
	// SyncNever leaves it to the operating system: a power failure can lose its last seconds, a crash of the process
	// loses nothing.
	SyncNever
)

// Reasons in gap and chain_resume lines.
const (
	reasonRestart     = "restart"      // the process started and found its earlier chain in the file
	reasonRotation    = "rotation"     // the file was rotated away; its last line is in another file
	reasonWriteFailed = "write_failed" // count lines could not be written
	reasonSyncFailed  = "sync_failed"  // count lines were written but may not have reached the disk
	reasonTorn        = "torn"         // a crash left count damaged lines
)

// ErrClosed is returned for a writer that was closed.
var ErrClosed = errors.New("audit writer is closed")

var errDeleted = errors.New("the file was deleted")

// Options configures Open.
type Options struct {
	// Path is the audit file, or Stdout. Required.
	Path string
	// SignKey signs checkpoints; nil leaves them unsigned.
	SignKey ed25519.PrivateKey
	// Sync says when lines are forced to disk.
	Sync SyncPolicy
	// Version of Sallyport, written into every line whose Record has none.
	Version string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// FS is the file system; nil means the real one.
	FS FS
	// Stdout receives the lines when Path is Stdout; nil means os.Stdout.
	Stdout io.Writer
}

// Writer appends lines to one chain. It is not safe for concurrent use: the audit actor owns it.
//
// An error of Append means that the record is not in the file. The writer stays usable: each later call tries again, and
// the first line that gets through is a gap line with the number of records that did not.
type Writer struct {
	opt Options
	f   File
	buf []byte

	seq  uint64 // of the last line written
	head Hash   // of the last line written

	uncovered      int // lines since the last checkpoint
	uncoveredSince time.Time
	unsynced       int64
	lastSync       time.Time

	resume string // reason of a chain_resume line that is still to be written
	lost   int64  // lines that the next gap line reports
	torn   int64  // damaged lines that stand after the last good one
	reason string // of the next gap line
	ragged bool   // the file does not end in a newline

	deleted bool // the file has no name any more, and there is no new one
	closed  bool
}

// Append writes one record. Its error names the path and means that the record was not written and is counted in the next
// gap line.
func (w *Writer) Append(r *Record) error {
	if w.closed {
		return ErrClosed
	}
	if err := w.append(r); err != nil {
		w.lost++
		w.because(reasonWriteFailed)
		return fmt.Errorf("append to audit file %q: %w", w.opt.Path, err)
	}
	if w.uncovered >= checkpointLines {
		// The record is safe; a checkpoint that fails is tried again with the next line and with Flush.
		_ = w.checkpoint()
	}
	return nil
}

func (w *Writer) append(r *Record) error {
	if err := w.settle(); err != nil {
		return err
	}
	rec := *r
	if rec.Time.IsZero() {
		rec.Time = w.opt.Now()
	}
	w.buf = appendLine(w.blank(), w.seq+1, w.head, &rec, w.opt.Version)
	return w.put()
}

// Flush does what is due with time: it writes an outstanding gap line and a due checkpoint, and forces lines to disk. The
// owner calls it about once a second. Its error means that lines are missing or may not outlive the machine; the next call
// tries again.
func (w *Writer) Flush() error {
	if w.closed {
		return ErrClosed
	}
	if w.deleted {
		return fmt.Errorf("flush audit file %q: %w", w.opt.Path, errDeleted)
	}
	errs := []error{w.settle()}
	now := w.opt.Now()
	if w.uncovered > 0 && now.Sub(w.uncoveredSince) >= checkpointEvery {
		errs = append(errs, w.checkpoint())
	}
	if w.opt.Sync == SyncInterval && now.Sub(w.lastSync) >= syncEvery {
		errs = append(errs, w.sync())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("flush audit file %q: %w", w.opt.Path, err)
	}
	return nil
}

// Reopen closes the file and opens the path again, after a tool has rotated it away. The new file begins with a chain_resume
// line. When the path still names the open file nothing happens. When the new file cannot be opened, the old one stays in
// use and no line is lost, unless it was deleted: then no line is written until a later call opens the path. The owner calls
// it about once a second.
func (w *Writer) Reopen() error {
	if w.closed {
		return ErrClosed
	}
	if !w.rotatedAway() {
		return nil
	}
	if there, err := w.opt.FS.Stat(w.opt.Path); err == nil && there.Mode()&fs.ModeNamedPipe != 0 {
		// Opening it would wait for a reader, and so would everyone who has a line to write.
		return fmt.Errorf("reopen audit file %q: there is a pipe in its place", w.opt.Path)
	}
	f, err := w.opt.FS.OpenAppend(w.opt.Path)
	if err != nil {
		mine, statErr := w.f.Stat()
		w.deleted = statErr == nil && nameless(mine)
		return fmt.Errorf("reopen audit file %q: %w", w.opt.Path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("reopen audit file %q: %w", w.opt.Path, err), f.Close())
	}
	var errs []error
	if !w.deleted {
		errs = append(errs, w.finish())
	}
	errs = append(errs, w.f.Close())
	w.f, w.deleted = f, false
	// Somebody may have put bytes into the new file already; a newline first keeps our line apart from theirs.
	w.ragged = info.Size() > 0
	w.resume = reasonRotation
	errs = append(errs, w.settle())
	return errors.Join(errs...)
}

// Close writes a last checkpoint, forces the lines to disk and closes the file. A second call does nothing.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := errors.Join(w.settle(), w.finish(), w.f.Close())
	if err != nil {
		return fmt.Errorf("close audit file %q: %w", w.opt.Path, err)
	}
	return nil
}

// Head returns the number and hash of the last line: the anchor that proves later that the tail was not cut.
func (w *Writer) Head() Anchor { return Anchor{Seq: w.seq, Hash: w.head} }

// finish covers and forces what was written.
func (w *Writer) finish() error {
	var errs []error
	if w.uncovered > 0 {
		errs = append(errs, w.checkpoint())
	}
	if w.opt.Sync == SyncInterval {
		errs = append(errs, w.sync())
	}
	return errors.Join(errs...)
}

// settle writes the gap and chain_resume lines that are outstanding.
func (w *Writer) settle() error {
	if w.lost > 0 || w.torn > 0 {
		o := w.chainLine(EventGap, w.reason)
		o.int("count", w.lost)
		if w.torn > 0 {
			o.int("torn", w.torn)
		}
		w.end(o)
		if err := w.put(); err != nil {
			return err
		}
		w.lost, w.torn, w.reason = 0, 0, ""
	}
	if w.resume != "" {
		w.end(w.chainLine(EventChainResume, w.resume))
		if err := w.put(); err != nil {
			return err
		}
		w.resume = ""
		// What stands before the seam is covered at once: the last checkpoint before a crash may lie far back.
		return w.checkpoint()
	}
	return nil
}

// checkpoint writes a line that covers everything before it.
func (w *Writer) checkpoint() error {
	if err := w.settle(); err != nil {
		return err
	}
	o := w.chainLine(EventCheckpoint, "")
	o.int("count", int64(w.uncovered))
	o.str("version", w.opt.Version, maxName)
	if w.opt.SignKey != nil {
		o.raw("key", KeyID(w.opt.SignKey.Public().(ed25519.PublicKey)))
		o.raw("sig", sign(w.opt.SignKey, o.b[1:])) // the last member: what precedes it is what is signed
	}
	w.buf = append(o.b, '}')
	if err := w.put(); err != nil {
		return err
	}
	w.uncovered = 0
	return nil
}

// chainLine starts a line that the writer makes itself.
func (w *Writer) chainLine(event, reason string) object {
	o := object{append(w.blank(), '{')}
	o.uint("seq", w.seq+1)
	o.raw("prev", w.head.String())
	o.time("ts", w.opt.Now())
	o.raw("event", event)
	o.str("reason", reason, maxReason)
	return o
}

func (w *Writer) end(o object) {
	o.str("version", w.opt.Version, maxName)
	w.buf = append(o.b, '}')
}

// blank returns the line buffer with the newline that put needs in front of a line when the file does not end in one.
func (w *Writer) blank() []byte { return append(w.buf[:0], '\n') }

// put writes w.buf, a newline followed by a line without one, as the next line of the chain.
func (w *Writer) put() error {
	if w.deleted {
		return errDeleted
	}
	line := w.buf[1:]
	w.buf = append(w.buf, '\n')
	out := w.buf
	if !w.ragged {
		out = out[1:]
	}
	n, err := w.f.Write(out)
	if err == nil && n < len(out) {
		err = io.ErrShortWrite
	}
	if err != nil && n != len(out)-1 { // all but the newline is a whole line: the next write completes it
		w.recoil(n)
		return err
	}
	w.ragged = n < len(out)
	w.seq++
	w.head = HashLine(line)
	w.unsynced++
	if w.uncovered == 0 {
		w.uncoveredSince = w.opt.Now()
	}
	w.uncovered++
	return nil
}

// recoil takes the n bytes of a failed write back out of the file, or keeps account of the damage when it cannot.
func (w *Writer) recoil(n int) {
	if n == 0 {
		return
	}
	if info, err := w.f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() >= int64(n) {
		if w.f.Truncate(info.Size()-int64(n)) == nil {
			return
		}
	}
	if w.ragged {
		n-- // the newline that ended the fragment before
	}
	w.ragged = n > 0
	if n > 0 {
		w.torn++
		w.because(reasonWriteFailed)
	}
}

// sync forces written lines to disk. After a failed fsync the kernel may have dropped them without a further error, so they
// are reported in a gap line once and not waited for again; that line is due at once.
func (w *Writer) sync() error {
	if w.unsynced == 0 {
		return nil
	}
	w.lastSync = w.opt.Now()
	err := w.f.Sync()
	if err != nil {
		w.lost += w.unsynced
		w.because(reasonSyncFailed)
		w.lastSync = time.Time{}
	}
	w.unsynced = 0
	return err
}

func (w *Writer) because(reason string) {
	if w.reason == "" {
		w.reason = reason
	}
}

// rotatedAway reports whether the path no longer names the open file.
func (w *Writer) rotatedAway() bool {
	if w.opt.Path == Stdout {
		return false
	}
	mine, err := w.f.Stat()
	if err != nil || !mine.Mode().IsRegular() {
		return false
	}
	there, err := w.opt.FS.Stat(w.opt.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && !os.SameFile(mine, there)
}

// streamFile makes standard output a File.
type streamFile struct{ io.Writer }

// Sync does nothing: pipes and terminals refuse fsync, and whoever reads them owns durability.
func (streamFile) Sync() error                { return nil }
func (streamFile) Close() error               { return nil }
func (streamFile) Truncate(int64) error       { return errors.ErrUnsupported }
func (streamFile) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

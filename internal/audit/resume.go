package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tailWindow is how many bytes at the end of a file are searched for its last good line; a line is below half a MiB.
const tailWindow = 4 << 20

// maxSiblings bounds how many rotated files are looked at, newest first.
const maxSiblings = 64

var errForeignFile = errors.New("it holds no line of an audit chain; move it away or name another file")

// Open opens the audit file and continues its chain. In a file that holds lines already, the first new one is a chain_resume
// line; a last line that a crash has torn is left in place and followed by a gap line. A missing or empty file continues
// the chain of the newest rotated file beside it (path.1, path-20260102, path.2.gz, stem-20260102.ext), else begins one.
//
// Open fails when the file cannot be opened, is written by another process, or holds something else than an audit chain. A
// disk that is merely full does not fail it: the first lines are then counted as a gap.
func Open(opt Options) (*Writer, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.FS == nil {
		opt.FS = OS()
	}
	w := &Writer{opt: opt, lastSync: opt.Now()}
	if opt.Path == Stdout {
		w.f = streamFile{opt.Stdout}
		if opt.Stdout == nil {
			w.f = streamFile{os.Stdout}
		}
		return w, nil
	}
	f, err := opt.FS.OpenAppend(opt.Path)
	if err != nil {
		return nil, fmt.Errorf("open audit file %q: %w", opt.Path, err)
	}
	w.f = f
	if err := w.adopt(); err != nil {
		return nil, errors.Join(fmt.Errorf("open audit file %q: %w", opt.Path, err), f.Close())
	}
	// A failure is not lost: what is outstanding is written before the first record.
	_ = w.settle()
	return w, nil
}

// adopt finds the end of the chain that this file continues.
func (w *Writer) adopt() error {
	info, err := w.f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		w.opt.Sync = SyncNever // a pipe or a device refuses fsync
		return nil             // and has no past
	}
	var end tail
	if info.Size() > 0 {
		if end, err = readTail(w.opt.FS, w.opt.Path); err != nil {
			return err
		}
		w.resume = reasonRestart
		w.ragged = end.ragged
		w.torn = end.damaged
	}
	if end.seq == 0 {
		older, err := newestSibling(w.opt.FS, w.opt.Path)
		if err != nil {
			return err
		}
		if older.seq > 0 {
			w.resume = reasonRotation
		}
		end.seq, end.hash = older.seq, older.hash
		w.torn += older.damaged
	}
	if w.torn > 0 {
		w.lost = w.torn
		w.because(reasonTorn)
	}
	if end.seq == 0 {
		w.resume = ""
	}
	w.seq, w.head = end.seq, end.hash
	return nil
}

// tail is how a file ends.
type tail struct {
	seq     uint64 // of the last good line; 0 when there is none
	hash    Hash
	damaged int64 // lines after it that cannot be read
	ragged  bool  // no newline at the end
}

// readTail finds the last good line of a file. A file without one is accepted only when it is a single torn first line.
func readTail(fsys FS, path string) (tail, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return tail{}, err
	}
	defer func() { _ = f.Close() }()
	if strings.HasSuffix(path, ".gz") {
		return gzipTail(f)
	}
	info, err := f.Stat()
	if err != nil {
		return tail{}, err
	}
	n := min(info.Size(), tailWindow)
	b := make([]byte, n)
	if _, err := f.ReadAt(b, info.Size()-n); err != nil && !errors.Is(err, io.EOF) {
		return tail{}, err
	}
	return scanTail(b, n == info.Size())
}

// scanTail looks for the last good line in b, the end of a file or, when whole, all of it.
func scanTail(b []byte, whole bool) (tail, error) {
	var t tail
	t.ragged = len(b) > 0 && b[len(b)-1] != '\n'
	rest := bytes.TrimSuffix(b, []byte{'\n'})
	for len(rest) > 0 {
		start := bytes.LastIndexByte(rest, '\n') + 1
		line := rest[start:]
		if l, err := ParseLine(line); err == nil {
			t.seq, t.hash = l.Seq, HashLine(line)
			return t, nil
		}
		if len(line) > 0 {
			t.damaged++
		}
		if start == 0 {
			break
		}
		rest = rest[:start-1]
	}
	if whole && (t.damaged == 0 || t.damaged == 1 && t.ragged && bytes.HasPrefix(b, []byte(`{"seq":`))) {
		return t, nil
	}
	return tail{}, errForeignFile
}

// gzipTail reads a compressed file through and keeps its last tailWindow bytes.
func gzipTail(r io.Reader) (tail, error) {
	zr, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return tail{}, err
	}
	var kept []byte
	chunk := make([]byte, 256<<10)
	for {
		n, err := zr.Read(chunk)
		kept = append(kept, chunk[:n]...)
		if len(kept) > 2*tailWindow {
			kept = append(kept[:0], kept[len(kept)-tailWindow:]...)
		}
		if errors.Is(err, io.EOF) {
			return scanTail(kept, false)
		}
		if err != nil {
			return tail{}, err
		}
	}
}

// newestSibling returns the end of the rotated file with the highest line number. Files that hold no chain are passed over.
func newestSibling(fsys FS, path string) (tail, error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return tail{}, fmt.Errorf("look for rotated files: %w", err)
	}
	var found []fs.FileInfo
	for _, e := range entries {
		if !rotatedName(base, e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			found = append(found, info)
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var best tail
	for _, info := range found[:min(len(found), maxSiblings)] {
		t, err := readTail(fsys, filepath.Join(dir, info.Name()))
		if err == nil && t.seq > best.seq {
			best = t
		}
	}
	return best, nil
}

// rotatedName reports whether name is how log rotation names an older base: "audit.log.1", "audit.log-20260102.gz", or
// "audit-2026-01-02.log", but not "audit-b.log", which is another stream.
func rotatedName(base, name string) bool {
	digit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	if rest, ok := strings.CutPrefix(name, base); ok {
		return len(rest) > 1 && strings.ContainsRune(".-_", rune(rest[0])) && (digit(rest[1:]) || rest == ".old" || rest == ".bak")
	}
	ext := filepath.Ext(base)
	rest, ok := strings.CutPrefix(strings.TrimSuffix(name, ".gz"), strings.TrimSuffix(base, ext))
	if !ok || ext == "" || !strings.HasSuffix(rest, ext) {
		return false
	}
	return len(rest) > 1 && strings.ContainsRune(".-_", rune(rest[0])) && digit(rest[1:])
}

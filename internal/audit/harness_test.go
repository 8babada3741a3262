package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clock is a hand-moved clock.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

// disk is the real file system with faults: how many bytes it still takes (-1: all), and whether truncation and fsync work.
type disk struct {
	FS
	room      int
	stuck     bool // truncation fails
	syncFails bool
	syncs     int
	open      []*diskFile
}

var errNoSpace = errors.New("no space left on device")

func (d *disk) OpenAppend(path string) (File, error) {
	f, err := d.FS.OpenAppend(path)
	if err != nil {
		return nil, err
	}
	df := &diskFile{File: f, d: d}
	d.open = append(d.open, df)
	return df, nil
}

// kill closes every file under the writer's feet, as the end of its process would.
func (d *disk) kill() {
	for _, f := range d.open {
		_ = f.File.Close()
	}
	d.open = nil
}

type diskFile struct {
	File
	d *disk
}

func (f *diskFile) Write(p []byte) (int, error) {
	if f.d.room < 0 {
		return f.File.Write(p)
	}
	n := min(len(p), f.d.room)
	n, err := f.File.Write(p[:n])
	f.d.room -= n
	if err == nil && n < len(p) {
		err = errNoSpace
	}
	return n, err
}

func (f *diskFile) Truncate(size int64) error {
	if f.d.stuck {
		return errors.New("truncate refused")
	}
	before, _ := f.Stat()
	err := f.File.Truncate(size)
	if err == nil && f.d.room >= 0 {
		f.d.room += int(before.Size() - size)
	}
	return err
}

func (f *diskFile) Sync() error {
	f.d.syncs++
	if f.d.syncFails {
		return errors.New("input/output error")
	}
	return f.File.Sync()
}

type bench struct {
	t     *testing.T
	path  string
	disk  *disk
	clock *clock
	opt   Options
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "audit.log"), disk: &disk{FS: OS(), room: -1}, clock: &clock{noon}}
	b.opt = Options{Path: b.path, FS: b.disk, Now: b.clock.now, Version: "v1", Sync: SyncNever}
	t.Cleanup(b.disk.kill)
	return b
}

func (b *bench) start() *Writer {
	b.t.Helper()
	w, err := Open(b.opt)
	require.NoError(b.t, err)
	return w
}

func (b *bench) write(w *Writer, n int) {
	b.t.Helper()
	for i := range n {
		require.NoError(b.t, w.Append(exchange(i)))
	}
}

func exchange(i int) *Record {
	return &Record{Phase: PhaseRequest, Method: "tools/call", Exchange: fmt.Sprint("ex-", i), Outcome: OutcomeAllow}
}

func (b *bench) verify(opt VerifyOptions, paths ...string) *VerifyReport {
	b.t.Helper()
	if len(paths) == 0 {
		paths = []string{b.path}
	}
	sources, err := Files(paths...)
	require.NoError(b.t, err)
	r, err := Verify(context.Background(), sources, opt)
	require.NoError(b.t, err)
	return r
}

// lines returns the parsed lines of a file, nil for a damaged one.
func (b *bench) lines(path string) []*Line {
	b.t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(b.t, err)
	var out []*Line
	for _, text := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		l, err := ParseLine(text)
		if err != nil {
			out = append(out, nil)
			continue
		}
		out = append(out, &l)
	}
	return out
}

func events(lines []*Line) string {
	var out []string
	for _, l := range lines {
		switch {
		case l == nil:
			out = append(out, "damaged")
		case l.Event == EventGap:
			out = append(out, fmt.Sprintf("gap(%s,%d)", l.Reason, l.Count))
		case l.Event == EventChainResume:
			out = append(out, "resume("+l.Reason+")")
		case l.Event != "":
			out = append(out, l.Event)
		default:
			out = append(out, "x")
		}
	}
	return strings.Join(out, " ")
}

package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestChainFromTheFirstLine(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, 3)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "a second close does nothing")
	require.ErrorIs(t, w.Append(exchange(9)), ErrClosed)
	require.ErrorIs(t, w.Flush(), ErrClosed)
	require.ErrorIs(t, w.Reopen(), ErrClosed)

	lines := b.lines(b.path)
	require.Equal(t, "x x x checkpoint", events(lines))
	require.True(t, lines[0].Prev.IsZero())
	require.EqualValues(t, 3, lines[3].Count)
	r := b.verify(VerifyOptions{})
	require.True(t, r.OK(), "%+v", r.Problems)
	require.EqualValues(t, 4, r.Lines)
	require.Equal(t, w.Head(), r.Head)
	info, err := os.Stat(b.path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}

func TestCheckpoints(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, checkpointLines)
	b.write(w, 1)
	require.NoError(t, w.Flush(), "nothing is due yet")
	require.Equal(t, EventCheckpoint, b.lines(b.path)[checkpointLines].Event)
	require.Len(t, b.lines(b.path), checkpointLines+2)
	b.clock.advance(checkpointEvery - 1)
	require.NoError(t, w.Flush())
	require.Len(t, b.lines(b.path), checkpointLines+2)
	b.clock.advance(1)
	require.NoError(t, w.Flush())
	lines := b.lines(b.path)
	require.Len(t, lines, checkpointLines+3)
	require.EqualValues(t, checkpointLines, lines[checkpointLines].Count)
	require.EqualValues(t, 1, lines[len(lines)-1].Count)
	b.clock.advance(checkpointEvery)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
	require.Len(t, b.lines(b.path), checkpointLines+3, "a checkpoint alone asks for no other")
}

func TestRestartContinuesTheChain(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, 2)
	b.disk.kill()
	w = b.start()
	b.write(w, 2)
	require.NoError(t, w.Close())
	require.Equal(t, "x x resume(restart) checkpoint x x checkpoint", events(b.lines(b.path)))
	r := b.verify(VerifyOptions{})
	require.True(t, r.OK(), "%+v", r.Problems)
	require.EqualValues(t, 1, r.Resumes)
	require.EqualValues(t, 1, r.Chains)
}

// kill -9 in the middle of a line: at every length of the fragment the chain goes on and the loss is marked.
func TestTornLastLine(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, 2)
	b.disk.kill()
	whole, err := os.ReadFile(b.path)
	require.NoError(t, err)
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := first + 1; cut <= len(whole); cut++ {
		require.NoError(t, os.WriteFile(b.path, whole[:cut], 0o600))
		before := b.verify(VerifyOptions{})
		require.True(t, before.OK())
		require.Equal(t, cut < len(whole)-1, before.TornTail, "cut at %d", cut)
		w := b.start()
		b.write(w, 1)
		require.NoError(t, w.Close())
		r := b.verify(VerifyOptions{})
		require.True(t, r.OK(), "cut at %d: %+v", cut, r.Problems)
		want := "x damaged gap(torn,1) resume(restart) checkpoint x checkpoint"
		if cut >= len(whole)-1 { // only the newline is missing, or nothing
			want = "x x resume(restart) checkpoint x checkpoint"
		}
		require.Equal(t, want, events(b.lines(b.path)), "cut at %d", cut)
		require.Equal(t, int64(strings.Count(want, "gap")), r.Lost)
	}
}

func TestTornFirstLine(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.WriteFile(b.path, []byte(`{"seq":1,"prev":"00`), 0o600))
	w := b.start()
	b.write(w, 1)
	require.NoError(t, w.Close())
	require.Equal(t, "damaged gap(torn,1) x checkpoint", events(b.lines(b.path)))
	r := b.verify(VerifyOptions{})
	require.True(t, r.OK(), "%+v", r.Problems)
}

func TestForeignFileIsLeftAlone(t *testing.T) {
	b := newBench(t)
	for _, content := range []string{"hello\n", "hello", `{"level":"info"}` + "\n", strings.Repeat("\x00", 4096)} {
		require.NoError(t, os.WriteFile(b.path, []byte(content), 0o600))
		_, err := Open(b.opt)
		require.ErrorIs(t, err, errForeignFile)
		data, err := os.ReadFile(b.path)
		require.NoError(t, err)
		require.Equal(t, content, string(data))
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	b := newBench(t)
	w := b.start()
	_, err := Open(b.opt)
	require.ErrorContains(t, err, "another process writes to it")
	require.NoError(t, w.Close())
	require.NoError(t, b.start().Close())
}

// Rotation, then death before the next write: the new file continues the rotated one, and a flipped byte is found.
func TestCaseRS10RotationThenKill(t *testing.T) {
	for name, rotated := range map[string]string{"numbered": "audit.log.1", "dated": "audit.log-20260304", "by extension": "audit-20260304.log", "compressed": "audit.log.1.gz"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			w := b.start()
			b.write(w, 10)
			old := filepath.Join(filepath.Dir(b.path), rotated)
			plain, err := os.ReadFile(b.path)
			require.NoError(t, err)
			store := func(data []byte) {
				if strings.HasSuffix(old, ".gz") {
					var z bytes.Buffer
					zw := gzip.NewWriter(&z)
					_, err := zw.Write(data)
					require.NoError(t, errors.Join(err, zw.Close()))
					data = z.Bytes()
				}
				require.NoError(t, os.WriteFile(old, data, 0o600))
			}
			require.NoError(t, os.Remove(b.path))
			store(plain)
			// Another program's files in the same folder are not mistaken for ours.
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(b.path), "audit.log.7"), []byte("noise\n"), 0o600))
			b.disk.kill()

			w = b.start()
			b.write(w, 5)
			require.NoError(t, w.Close())
			require.Equal(t, "resume(rotation) checkpoint x x x x x checkpoint", events(b.lines(b.path)))
			r := b.verify(VerifyOptions{}, b.path, old)
			require.True(t, r.OK(), "%+v", r.Problems)
			require.EqualValues(t, 18, r.Lines)
			require.EqualValues(t, 1, r.Chains)

			flipped := bytes.Replace(plain, []byte("ex-6"), []byte("ex-7"), 1)
			store(flipped)
			r = b.verify(VerifyOptions{}, b.path, old)
			require.Equal(t, []Problem{{Position{old, 7, 7}, ProblemAltered, "its hash is not the one that the next line recorded"}}, r.Problems)
		})
	}
}

func TestRotationWhileRunning(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, 2)
	require.NoError(t, w.Reopen(), "nothing to do while the path is ours")
	require.NoError(t, os.Rename(b.path, b.path+".1"))
	b.write(w, 1)
	require.NoError(t, w.Reopen())
	b.write(w, 1)
	require.NoError(t, w.Close())
	require.Equal(t, "x x x checkpoint", events(b.lines(b.path+".1")))
	require.Equal(t, "resume(rotation) checkpoint x checkpoint", events(b.lines(b.path)))
	r := b.verify(VerifyOptions{}, b.path, b.path+".1")
	require.True(t, r.OK(), "%+v", r.Problems)
}

func TestReopenKeepsTheOldFileWhenThereIsNoNewOne(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, 1)
	old := b.path + ".1"
	require.NoError(t, os.Rename(b.path, old))
	require.NoError(t, os.Mkdir(b.path, 0o700))
	require.Error(t, w.Reopen())
	b.write(w, 1)
	require.NoError(t, os.Remove(b.path))
	require.NoError(t, w.Reopen())
	require.NoError(t, w.Close())
	r := b.verify(VerifyOptions{}, old, b.path)
	require.True(t, r.OK(), "%+v", r.Problems)
}

// Whoever removes the folder removes every line that is written into it later, and nobody would hear of it.
func TestLinesOfADeletedFileAreNotWritten(t *testing.T) {
	b := newBench(t)
	b.path = filepath.Join(filepath.Dir(b.path), "trail", "audit.log")
	b.opt.Path = b.path
	require.NoError(t, os.Mkdir(filepath.Dir(b.path), 0o700))
	w := b.start()
	b.write(w, 1)
	require.NoError(t, os.RemoveAll(filepath.Dir(b.path)))
	require.ErrorContains(t, w.Reopen(), b.path)
	require.ErrorIs(t, w.Flush(), errDeleted, "whether or not there is a line to write")
	for i := range 3 {
		require.ErrorIs(t, w.Append(exchange(i)), errDeleted)
	}
	require.NoError(t, os.Mkdir(filepath.Dir(b.path), 0o700))
	require.NoError(t, w.Reopen())
	b.write(w, 1)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
	require.Equal(t, "gap(write_failed,3) resume(rotation) checkpoint x checkpoint", events(b.lines(b.path)))
	r := b.verify(VerifyOptions{})
	require.True(t, r.OK(), "%+v", r.Problems)
}

// A full disk: records fail one by one, the file stays clean, and when there is room again the chain goes on after a gap.
func TestCaseRS09FullDisk(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		t.Run(fmt.Sprint("truncation fails: ", stuck), func(t *testing.T) {
			for room := 0; room < 700; room += 7 { // up to the length of four lines
				b := newBench(t)
				w := b.start()
				b.write(w, 2)
				b.disk.room, b.disk.stuck = room, stuck
				failed := 0
				for i := range 5 {
					if err := w.Append(exchange(i)); err != nil {
						require.ErrorIs(t, err, errNoSpace)
						require.ErrorContains(t, err, b.path)
						failed++
					}
				}
				require.Positive(t, failed)
				b.disk.room = -1
				require.NoError(t, w.Flush(), "the gap is written without waiting for traffic")
				b.write(w, 1)
				require.NoError(t, w.Close())
				r := b.verify(VerifyOptions{})
				require.True(t, r.OK(), "room %d: %+v", room, r.Problems)
				require.EqualValues(t, failed, r.Lost, "room %d", room)
				require.NotEmpty(t, r.Gaps)
				for _, g := range r.Gaps {
					require.Equal(t, reasonWriteFailed, g.Reason)
				}
				if !stuck {
					require.NotContains(t, events(b.lines(b.path)), "damaged")
				}
				b.disk.kill()
			}
		})
	}
}

func TestOpenOnAFullDisk(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, 1)
	require.NoError(t, w.Close())
	b.disk.room = 0
	w = b.start()
	require.ErrorIs(t, w.Append(exchange(1)), errNoSpace)
	require.Error(t, w.Flush())
	b.disk.room = -1
	b.write(w, 1)
	require.NoError(t, w.Close())
	require.Equal(t, "x checkpoint gap(write_failed,1) resume(restart) checkpoint x checkpoint", events(b.lines(b.path)))
	r := b.verify(VerifyOptions{})
	require.True(t, r.OK(), "%+v", r.Problems)
}

func TestFsync(t *testing.T) {
	b := newBench(t)
	b.opt.Sync = SyncInterval
	w := b.start()
	b.write(w, 2)
	require.NoError(t, w.Flush())
	require.Zero(t, b.disk.syncs, "not due yet")
	b.clock.advance(syncEvery)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Flush())
	b.clock.advance(syncEvery)
	require.NoError(t, w.Flush(), "nothing new to force")
	require.Equal(t, 1, b.disk.syncs)

	b.write(w, 3)
	b.disk.syncFails = true
	b.clock.advance(syncEvery)
	require.ErrorContains(t, w.Flush(), "input/output error")
	require.ErrorContains(t, w.Flush(), "input/output error", "the disk is asked again before it counts as well")
	b.disk.syncFails = false
	b.write(w, 1)
	require.NoError(t, w.Close())
	require.Equal(t, "x x x x x gap(sync_failed,3) gap(sync_failed,1) x checkpoint", events(b.lines(b.path)))

	never := newBench(t)
	w = never.start()
	never.write(w, 1)
	never.clock.advance(time.Minute)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
	require.Zero(t, never.disk.syncs)
}

func TestStdout(t *testing.T) {
	var out bytes.Buffer
	w, err := Open(Options{Path: Stdout, Stdout: &out, Now: (&clock{noon}).now, Version: "v1"})
	require.NoError(t, err)
	require.NoError(t, w.Append(exchange(1)))
	require.NoError(t, w.Reopen())
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
	r, err := Verify(context.Background(), []Source{Reader("stdout", &out)}, VerifyOptions{})
	require.NoError(t, err)
	require.True(t, r.OK())
	require.EqualValues(t, 2, r.Lines)
}

func TestDeviceHasNoPast(t *testing.T) {
	w, err := Open(Options{Path: os.DevNull, Version: "v1"})
	require.NoError(t, err)
	require.NoError(t, w.Append(exchange(1)))
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
}

func TestOpenErrorsNameThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "audit.log")
	_, err := Open(Options{Path: path})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, path)
}

func BenchmarkAppend(b *testing.B) {
	for _, signed := range []bool{false, true} {
		b.Run(fmt.Sprint("signed=", signed), func(b *testing.B) {
			opt := Options{Path: filepath.Join(b.TempDir(), "audit.log"), Version: "v1", Sync: SyncNever}
			if signed {
				_, opt.SignKey, _ = ed25519.GenerateKey(nil)
			}
			w, err := Open(opt)
			require.NoError(b, err)
			r := fullRecord()
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, w.Append(r))
			}
			require.NoError(b, w.Close())
		})
	}
}

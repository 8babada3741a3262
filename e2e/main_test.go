//go:build unix

package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// binary is the sidecar under test, with the runtime in lib/ beside it.
var binary string

// buildLimit bounds the build of the sidecar with everything it imports.
const buildLimit = 8 * time.Minute

// raceHeap is a soft limit on the heap of these tests under the race detector, in
// bytes. The detector never gives back what it keeps beside every page that the
// heap has touched, which is several times the page: a heap that is collected late
// costs gigabytes.
const raceHeap = 256 << 20

func TestMain(m *testing.M) {
	flag.Parse()
	if raceEnabled {
		debug.SetMemoryLimit(raceHeap)
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "sallyport-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover in the temporary directory is harmless
	binary = filepath.Join(dir, "sallyport")
	if err := build(dir); err != nil {
		return 0, err
	}
	if code = m.Run(); code == 0 {
		err = goleak.Find()
	}
	return code, err
}

// build compiles the sidecar and puts the runtime beside it.
func build(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	args := []string{"build", "-o", binary}
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "../cmd/sallyport")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the sidecar: %w\n%s", err, out)
	}
	const lib = "libonnxruntime.so.1"
	err := copyFile(filepath.Join(dir, "lib", lib), filepath.Join("..", "bin", "lib", lib))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ONNX Runtime is missing, run 'make setup': %w", err)
	}
	return err
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

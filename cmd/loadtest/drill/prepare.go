package drill

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sallyport-mcp/sallyport/inference"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// endlessModel gives the sidecar a copy of the embedded model whose network never
// comes to an end of being read.
func endlessModel(r *run) error {
	dir := filepath.Join(r.dir, "model")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	files := defaultmodel.FS()
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || e.Name() == inference.DefaultModelFile {
			continue
		}
		data, err := fs.ReadFile(files, e.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), data, 0o600); err != nil {
			return err
		}
	}
	if err := makePipe(filepath.Join(dir, inference.DefaultModelFile), 0o600); err != nil {
		return fmt.Errorf("make a model without an end: %w", err)
	}
	r.env["MODEL"] = dir
	return nil
}

func packFile(r *run) string { return filepath.Join(r.dir, "pack.yaml") }

func smallPack(r *run) error {
	r.env["INVARIANT_RULES_PATH"] = packFile(r)
	return os.WriteFile(packFile(r), []byte("version: 1\nname: drill\nrules:\n  - name: forbidden\n    call: {tool: shell}\n"), 0o600)
}

// reloadBigPack puts a pack in place that takes a while to compile, asks for a
// reload, and returns once the sidecar has taken the signal.
func reloadBigPack(r *run) error {
	var b strings.Builder
	b.WriteString("version: 1\nname: big\nrules:\n")
	for i := range 900 {
		fmt.Fprintf(&b, "  - name: rule%d\n    call: {tool: '/tool%d/', when: 'args.a%d.startsWith(\"x\") && texts(args).exists(t, t.matches(\"(?i)word%d\"))'}\n", i, i, i, i)
	}
	next := packFile(r) + ".next"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(next, packFile(r)); err != nil {
		return err
	}
	if err := r.sidecar.Signal(syscall.SIGHUP); err != nil {
		return err
	}
	return r.sidecar.Await(r.ctx, "it took SIGHUP", func() bool {
		lines, _ := r.sidecar.Lines()
		for _, l := range lines {
			if l.Msg == "signal received" && l.Signal == syscall.SIGHUP.String() {
				return true
			}
		}
		return false
	})
}

// deafCollector listens as a telemetry collector that never answers.
func deafCollector(r *run) error {
	var lc net.ListenConfig
	l, err := lc.Listen(r.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	context.AfterFunc(r.ctx, func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(r.ctx, func() { c.Close() })
		}
	}()
	r.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://" + l.Addr().String()
	r.env["OTEL_TRACES_EXPORTER"] = "otlp"
	return nil
}

package audit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "audit.log")

	w, err := audit.Open(audit.Options{Path: path, Version: "v1.0.0"})
	if err != nil {
		panic(err)
	}
	for range 3 {
		if err := w.Append(&audit.Record{Phase: audit.PhaseRequest, Method: "tools/call", Outcome: audit.OutcomeAllow}); err != nil {
			fmt.Println(err) // the record is not in the file; the writer counts it and goes on
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}

	files, err := audit.Files(path)
	if err != nil {
		panic(err)
	}
	anchor := w.Head() // kept elsewhere, it proves later that the end was not cut
	r, err := audit.Verify(context.Background(), files, audit.VerifyOptions{Anchor: &anchor})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.OK(), r.Lines, "lines", r.Checkpoints, "checkpoint")
	// Output: true 4 lines 1 checkpoint
}

//go:build !unix

package audit

import (
	"io/fs"
	"os"
)

// lock does nothing where there is no flock; a fork of the chain still shows in Verify.
func lock(*os.File) error { return nil }

// nameless never holds where an open file cannot be deleted.
func nameless(fs.FileInfo) bool { return false }

package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sallyport-mcp/sallyport/internal/folder"
)

// Check is why Open would refuse the path, as far as that can be told without making, changing or locking a file: a sidecar may
// be writing it. Pipes and devices are not opened, since whoever reads them would notice.
func Check(path string) error {
	if path == Stdout {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return folder.Writable(filepath.Dir(path))
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a directory", path)
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil || info.Size() == 0 {
		return err
	}
	if _, err := readTail(OS(), path); err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

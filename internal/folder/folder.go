// Package folder tries folders before they are needed. It leaves nothing behind, and
// it is asked by checks of the settings, and before what takes long is begun for the sake
// of a file: what serves finds out by writing.
package folder

import (
	"fmt"
	"os"
)

// Writable is why no file could be made in a folder: it is not there, is no folder, or
// its permissions, its mount or its disk forbid it. A trial is the only way to
// know all of that; it is gone when this returns.
func Writable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%q is not a directory", path)
	}
	f, err := os.CreateTemp(path, ".sallyport-trial-*")
	if err != nil {
		return fmt.Errorf("no file can be made in %q: %w", path, err)
	}
	closed := f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return fmt.Errorf("no file can be removed from %q: %w", path, err)
	}
	return closed
}

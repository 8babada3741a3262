package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Stamp is a text that changes when the files that Load would read from path may have: their names, where links lead, sizes and
// times of change, or what the system says instead. It reads no contents, so it is cheap enough to be asked for all the time, and
// it sees what a watch on a directory does not: links into other directories, a directory that is replaced as a whole, and file
// systems that tell of nothing. The empty path never changes.
func Stamp(path string) string {
	if path == "" {
		return ""
	}
	files := []string{path}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		files, err = packFiles(path)
	}
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err.Error()
		}
		real, err := filepath.EvalSymlinks(file)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "%q %q %d %d\n", file, real, info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}

package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// LibraryEnv names the variable that says where the runtime library is.
const LibraryEnv = "ONNXRUNTIME_LIB"

// LeastVersion is the oldest runtime whose interface this build can use.
const LeastVersion = "1.24"

// LibraryError says why the runtime library could not be used.
type LibraryError struct {
	// Path is the file, or the name the system's loader was asked for.
	Path string
	// Reason is what went wrong, in a few words.
	Reason string
	// Err is the loader's or the library's own error, if there is one.
	Err error
}

func (e *LibraryError) Error() string {
	s := fmt.Sprintf("load onnx runtime %q: %s; want libonnxruntime %s or newer (set %s to its path)", e.Path, e.Reason, LeastVersion, LibraryEnv)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *LibraryError) Unwrap() error { return e.Err }

// fileNames are the names that the library goes by, the exact one first.
func fileNames() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"libonnxruntime.1.dylib", "libonnxruntime.dylib"}
	case "windows":
		return []string{"onnxruntime.dll"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
}

// candidates lists where to look, in order. A path that someone named is the
// only candidate: falling back from it would hide the mistake.
func candidates(lib string) []string {
	if lib == "" {
		lib = os.Getenv(LibraryEnv)
	}
	if lib != "" {
		return []string{lib}
	}
	var found []string
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dir := filepath.Dir(exe)
		for _, sub := range []string{"lib", "."} {
			for _, name := range fileNames() {
				path := filepath.Join(dir, sub, name)
				if _, err := os.Stat(path); err == nil {
					found = append(found, path)
				}
			}
		}
	}
	// Bare names leave the search to the system's loader.
	return append(found, fileNames()...)
}

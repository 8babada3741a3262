//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// environment is the library's global state. It needs a lock and not an owner:
// it belongs to the process, not to an engine, and is touched only when a
// model is opened or closed.
var environment struct {
	sync.Mutex
	refs int
	// ours is false when the host program had initialised the library before
	// us; then it stays up when we are done.
	ours bool
}

// Runtime is one reference to the process's ONNX Runtime. Close it when no
// further session will be opened through it; sessions hold references of
// their own.
type Runtime struct {
	release sync.Once
	version string
}

// Open loads the runtime library and initialises it, or takes one more
// reference to it. lib is a path; empty means $ONNXRUNTIME_LIB, else beside the
// executable or in lib/ beside it, else what the system finds. While the
// library is loaded lib is not looked at again: a process has one runtime. The
// error is a *LibraryError.
func Open(lib string) (*Runtime, error) {
	environment.Lock()
	defer environment.Unlock()
	if environment.refs == 0 {
		if err := initialize(lib); err != nil {
			return nil, err
		}
	}
	environment.refs++
	return &Runtime{version: ort.GetVersion()}, nil
}

func initialize(lib string) error {
	if ort.IsInitialized() {
		environment.ours = false
		return nil
	}
	var last *LibraryError
	for _, path := range candidates(lib) {
		last = try(path)
		if last == nil {
			environment.ours = true
			return nil
		}
		if last.Reason == reasonOld {
			break // the right file, of the wrong age: that is the news
		}
	}
	return last
}

const (
	reasonMissing = "not found"
	reasonOld     = "too old"
)

func try(path string) *LibraryError {
	if strings.ContainsRune(path, os.PathSeparator) {
		if info, err := os.Stat(path); err != nil {
			return &LibraryError{Path: path, Reason: reasonMissing, Err: err}
		} else if info.IsDir() {
			return &LibraryError{Path: path, Reason: "is a directory"}
		}
	}
	ort.SetSharedLibraryPath(path)
	err := ort.InitializeEnvironment(ort.WithLogLevelFatal())
	if err == nil {
		return nil
	}
	// The wrapper has no error codes, only these texts.
	reason := "cannot be loaded"
	switch text := err.Error(); {
	case strings.Contains(text, "Error setting ORT API base"):
		reason = reasonOld
	case strings.Contains(text, "cannot open shared object file"):
		reason = reasonMissing
	}
	return &LibraryError{Path: path, Reason: reason, Err: err}
}

// Version is the library's own, such as "1.24.3".
func (r *Runtime) Version() string { return r.version }

// Close gives the reference back; the last one shuts the library down, unless
// the host program had initialised it. Further calls do nothing.
func (r *Runtime) Close() error {
	var err error
	r.release.Do(func() { err = releaseEnvironment() })
	return err
}

func retainEnvironment() {
	environment.Lock()
	environment.refs++
	environment.Unlock()
}

func releaseEnvironment() error {
	environment.Lock()
	defer environment.Unlock()
	if environment.refs == 0 {
		return errors.New("close onnx runtime: more references given back than taken")
	}
	environment.refs--
	if environment.refs > 0 {
		return nil
	}
	dropOptions()
	if !environment.ours {
		return nil
	}
	if err := ort.DestroyEnvironment(); err != nil {
		return fmt.Errorf("close onnx runtime: %w", err)
	}
	return nil
}

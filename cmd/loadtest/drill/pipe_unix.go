//go:build unix

package drill

import "syscall"

// makePipe makes a pipe in the file system, which is read from for ever.
func makePipe(path string, mode uint32) error { return syscall.Mkfifo(path, mode) }

//go:build unix

package e2e

import "syscall"

const (
	sigTerm = syscall.SIGTERM
	sigHup  = syscall.SIGHUP
	sigUsr1 = syscall.SIGUSR1
)

//go:build unix

package early

import (
	"os"
	"syscall"
)

// Reopen is the signal that asks for the audit file to be opened again.
const Reopen = syscall.SIGUSR1

var answered = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, Reopen}

//go:build !unix

package early

import (
	"os"
	"syscall"
)

// Reopen does not exist here, and no process is ever sent it: a file that was rotated
// away is noticed without it.
const Reopen = syscall.Signal(-1)

var answered = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}

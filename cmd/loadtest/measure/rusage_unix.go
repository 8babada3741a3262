//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU is the processor time that this process has used, user and system.
func CPU() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0 // the call fails only on a wrong argument
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

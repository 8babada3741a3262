//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU is the processor time that this process has used, user and system.
func CPU() time.Duration {
	r := rusage()
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Switches is how often a thread of this process has given its processor away by itself:
// it waited or slept.
func Switches() int64 {
	return int64(rusage().Nvcsw) //nolint:unconvert // 32 bits wide on 32-bit systems
}

func rusage() (r syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // fails only on a wrong argument
	return r
}

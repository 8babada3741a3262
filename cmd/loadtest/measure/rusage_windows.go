package measure

import (
	"syscall"
	"time"
)

// Switches is 0: Windows does not count them for a process.
func Switches() int64 { return 0 }

// CPU is the processor time that this process has used, user and system.
func CPU() time.Duration {
	var created, ended, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return 0 // the calls fail only on a wrong argument
	}
	// These are spans in units of 100 ns, not points in time.
	span := func(f syscall.Filetime) time.Duration {
		return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
	}
	return span(kernel) + span(user)
}

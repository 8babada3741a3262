package measure

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what a piece of work took.
type Usage struct {
	// Wall is the time that passed, CPU the processor time of the whole process.
	Wall, CPU time.Duration
	// Switches is how often a thread gave its processor away by itself, 0 where the
	// system does not tell.
	Switches int64
}

// Of runs work and returns what it took. Nothing else should run in the process
// meanwhile: its processor time would count.
func Of(work func() error) (Usage, error) {
	switches, cpu, start := Switches(), CPU(), time.Now()
	err := work()
	return Usage{Wall: time.Since(start), CPU: CPU() - cpu, Switches: Switches() - switches}, err
}

// ticksPerSecond is the unit of processor times in /proc, which Linux has fixed.
const ticksPerSecond = 100

// CPUOf is the processor time that another process has used, user and system, to a
// hundredth of a second.
func CPUOf(pid int) (time.Duration, error) {
	name := fmt.Sprintf("/proc/%d/stat", pid)
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, fmt.Errorf("processor time: %w", err)
	}
	// The second field is the name in parentheses, which may hold anything.
	const user, system = 11, 12 // after it
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) <= system {
		return 0, fmt.Errorf("processor time: %s has %d fields", name, len(fields))
	}
	var ticks int64
	for _, text := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("processor time: %s: %w", name, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / ticksPerSecond), nil
}

// LoadAverage is the system's load over one, five and fifteen minutes, or "unknown"
// where the system does not tell.
func LoadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(data)); err == nil && len(f) > 2 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}

// Resident is the resident size of a process in bytes; pid 0 is this one.
func Resident(pid int) (int64, error) {
	name := "/proc/self/statm"
	if pid != 0 {
		name = fmt.Sprintf("/proc/%d/statm", pid)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, fmt.Errorf("resident size: %w", err)
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
		return 0, fmt.Errorf("resident size: %s: %w", name, err)
	}
	return resident * int64(os.Getpagesize()), nil
}

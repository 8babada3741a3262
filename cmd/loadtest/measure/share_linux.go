package measure

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

type cpuSet = unix.CPUSet

// maxCPUs is how many CPUs a set can hold.
const maxCPUs = len(cpuSet{}) * strconv.IntSize

func allowedCPUs() (set cpuSet, err error) {
	return set, unix.SchedGetaffinity(0, &set)
}

// startOn starts cmd from a thread on its part: a child begins where the thread was
// that made it, and its runtime counts the CPUs that it finds there.
func (s *Share) startOn(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	var before cpuSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("the CPUs of a thread: %w", err)
	}
	if err := unix.SchedSetaffinity(0, &s.theirs); err != nil {
		return fmt.Errorf("move a thread to other CPUs: %w", err)
	}
	started := cmd.Start()
	if err := unix.SchedSetaffinity(0, &before); err != nil {
		return errors.Join(started, fmt.Errorf("move a thread back: %w", err)) // still locked, it ends with its goroutine
	}
	runtime.UnlockOSThread()
	return started
}

func (s *Share) keep() (back func() error, err error) {
	all, procs := s.own, runtime.GOMAXPROCS(0)
	for cpu := range maxCPUs {
		if s.theirs.IsSet(cpu) {
			all.Set(cpu)
		}
	}
	if err := moveThreads(s.own); err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(s.own.Count())
	return func() error {
		runtime.GOMAXPROCS(procs)
		return moveThreads(all)
	}, nil
}

// moveThreads moves every thread of this process. A new one begins on the CPUs of the
// thread that made it, so the list is read until it has none that was not moved.
func moveThreads(to cpuSet) error {
	moved := map[string]bool{}
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("move the threads of this process: %w", err)
		}
		fresh := false
		for _, t := range threads {
			if moved[t.Name()] {
				continue
			}
			fresh, moved[t.Name()] = true, true
			id, err := strconv.Atoi(t.Name())
			if err != nil {
				return fmt.Errorf("move the threads of this process: %w", err)
			}
			if err := unix.SchedSetaffinity(id, &to); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("move thread %d to other CPUs: %w", id, err)
			}
		}
		if !fresh {
			return nil
		}
	}
}

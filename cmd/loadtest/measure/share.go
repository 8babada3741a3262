package measure

import (
	"fmt"
	"os/exec"
)

// Share divides the CPUs that this process may run on: some for a program under test,
// the rest for this one, so that the load generator takes nothing from what it
// measures. A nil Share divides nothing.
//
// Two CPUs can be two threads of one core; then they still take from each other.
type Share struct {
	theirs, own cpuSet
}

// NewShare gives n CPUs, those with the highest numbers, to the program under test.
// At least one must be left; 0 divides nothing. Only Linux can.
func NewShare(n int) (*Share, error) {
	if n == 0 {
		return nil, nil //nolint:nilnil // documented: a nil Share divides nothing
	}
	all, err := allowedCPUs()
	if err != nil {
		return nil, fmt.Errorf("divide the CPUs: %w", err)
	}
	if n < 0 || n >= all.Count() {
		return nil, fmt.Errorf("divide the CPUs: %d for the program under test, want 1 to %d: this process may run on %d and keeps one", n, all.Count()-1, all.Count())
	}
	s := &Share{own: all}
	for cpu := maxCPUs - 1; s.theirs.Count() < n; cpu-- {
		if all.IsSet(cpu) {
			s.theirs.Set(cpu)
			s.own.Clear(cpu)
		}
	}
	return s, nil
}

// CPUs are how many the program under test has, and how many this process; both are
// the same CPUs where nothing is divided.
func (s *Share) CPUs(all int) (theirs, own int) {
	if s == nil {
		return all, all
	}
	return s.theirs.Count(), s.own.Count()
}

// Start starts a program on its part.
func (s *Share) Start(cmd *exec.Cmd) error {
	if s == nil {
		return cmd.Start()
	}
	return s.startOn(cmd)
}

// Keep moves all threads of this process to its own part, until back is called.
func (s *Share) Keep() (back func() error, err error) {
	if s == nil {
		return func() error { return nil }, nil
	}
	return s.keep()
}

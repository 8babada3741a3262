//go:build !linux

package measure

import (
	"errors"
	"os/exec"
)

// cpuSet is always empty: there is no call that binds a process to CPUs.
type cpuSet struct{}

const maxCPUs = 0

func (cpuSet) Count() int     { return 0 }
func (cpuSet) IsSet(int) bool { return false }
func (cpuSet) Set(int)        {}
func (cpuSet) Clear(int)      {}

var errNoAffinity = errors.New("this system cannot bind a process to CPUs")

func allowedCPUs() (cpuSet, error) { return cpuSet{}, errNoAffinity }

func (*Share) startOn(*exec.Cmd) error { return errNoAffinity }

func (*Share) keep() (func() error, error) { return nil, errNoAffinity }

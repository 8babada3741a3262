package measure

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOfCountsTheWork(t *testing.T) {
	fault := errors.New("fault")
	u, err := Of(func() error {
		// Until the clock of the process has moved: its step is up to some milliseconds.
		for start := CPU(); CPU() < start+10*time.Millisecond; {
		}
		return fault
	})
	require.ErrorIs(t, err, fault)
	require.GreaterOrEqual(t, u.CPU, 10*time.Millisecond)
	require.Positive(t, u.Wall)
}

func TestOfCountsSwitches(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not counted there")
	}
	ping := make(chan struct{})
	go func() {
		runtime.LockOSThread() // so that the two take turns as threads
		for range ping {
			continue
		}
	}()
	defer close(ping)
	u, err := Of(func() error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for start := Switches(); Switches() == start; {
			ping <- struct{}{}
		}
		return nil
	})
	require.NoError(t, err)
	require.Positive(t, u.Switches)
}

func TestResident(t *testing.T) {
	n, err := Resident(0)
	require.NoError(t, err)
	require.Greater(t, n, int64(1<<20))
	_, err = Resident(1 << 30)
	require.Error(t, err)
	require.NotEqual(t, "unknown", LoadAverage())
}

func TestCPUOfAnotherProcess(t *testing.T) {
	before, err := CPUOf(os.Getpid())
	require.NoError(t, err)
	const ticks = 3
	for start := CPU(); CPU() < start+ticks*time.Second/ticksPerSecond; {
	}
	after, err := CPUOf(os.Getpid())
	require.NoError(t, err)
	require.Greater(t, after, before)
	_, err = CPUOf(1 << 30)
	require.Error(t, err)
}

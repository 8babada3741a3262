package measure

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// threads are the CPU sets of all threads of this process.
func threads(t *testing.T) map[cpuSet]bool {
	t.Helper()
	found := map[cpuSet]bool{}
	list, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, task := range list {
		status, err := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		if err != nil {
			continue // it has ended
		}
		var set cpuSet
		for _, cpu := range allowedIn(t, string(status)) {
			set.Set(cpu)
		}
		found[set] = true
	}
	return found
}

// allowedIn reads the mask of a status file of /proc, in hexadecimal.
func allowedIn(t *testing.T, status string) (cpus []int) {
	t.Helper()
	_, mask, ok := strings.Cut(status, "Cpus_allowed:\t")
	require.True(t, ok)
	mask, _, _ = strings.Cut(mask, "\n")
	mask = strings.ReplaceAll(mask, ",", "")
	for i := range 4 * len(mask) {
		digit := strings.IndexByte("0123456789abcdef", mask[len(mask)-1-i/4])
		if digit>>(i%4)&1 == 1 {
			cpus = append(cpus, i)
		}
	}
	return cpus
}

func TestShareDividesTheCPUs(t *testing.T) {
	var all cpuSet
	require.NoError(t, unix.SchedGetaffinity(0, &all))
	_, err := NewShare(all.Count())
	require.ErrorContains(t, err, "keeps one")
	_, err = NewShare(-1)
	require.Error(t, err)
	if all.Count() < 2 {
		t.Skip("one CPU cannot be divided")
	}
	s, err := NewShare(1)
	require.NoError(t, err)
	theirs, own := s.CPUs(all.Count())
	require.Equal(t, []int{1, all.Count() - 1}, []int{theirs, own})

	procs := runtime.GOMAXPROCS(0)
	back, err := s.Keep()
	require.NoError(t, err)
	require.Equal(t, map[cpuSet]bool{s.own: true}, threads(t), "every thread keeps to its part")
	require.Equal(t, own, runtime.GOMAXPROCS(0))

	out, err := os.CreateTemp(t.TempDir(), "status")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "cat", "/proc/self/status")
	cmd.Stdout = out
	require.NoError(t, s.Start(cmd))
	require.NoError(t, cmd.Wait())
	status, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	var child cpuSet
	for _, cpu := range allowedIn(t, string(status)) {
		child.Set(cpu)
	}
	require.Equal(t, s.theirs, child, "a program begins on its part")
	require.Equal(t, map[cpuSet]bool{s.own: true}, threads(t), "and the thread that started it is back")

	require.NoError(t, back())
	require.Equal(t, map[cpuSet]bool{all: true}, threads(t))
	require.Equal(t, procs, runtime.GOMAXPROCS(0))
}

func TestNilShareDividesNothing(t *testing.T) {
	s, err := NewShare(0)
	require.NoError(t, err)
	require.Nil(t, s)
	theirs, own := s.CPUs(8)
	require.Equal(t, []int{8, 8}, []int{theirs, own})
	back, err := s.Keep()
	require.NoError(t, err)
	require.NoError(t, back())
	cmd := exec.CommandContext(t.Context(), "true")
	require.NoError(t, s.Start(cmd))
	require.NoError(t, cmd.Wait())
}

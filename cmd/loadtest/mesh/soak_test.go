package mesh

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// soaked is a soak of an hour in which a figure moves from 100 by so much.
func soaked(resident, goroutines, p99 float64) *Soak {
	s := &Soak{opts: SoakOptions{Options: Options{Duration: time.Hour}, Share: 0.8}, each: time.Minute, offered: 1000,
		fates: map[Fate]int{Passed: 1000}, watch: &watcher{probes: measure.NewLatency()}}
	for i := range 60 {
		done := float64(i) / 60
		s.watch.samples = append(s.watch.samples, Sample{At: time.Duration(i) * time.Minute, Resident: (400 + resident*done) * (1 << 20), Goroutines: 100 + goroutines*done})
		l := measure.NewLatency()
		l.Record(time.Duration((20 + p99*done) * float64(time.Millisecond)))
		s.intervals = append(s.intervals, l)
	}
	return s
}

func TestSoakSeesWhatGrows(t *testing.T) {
	require.NoError(t, soaked(0, 0, 0).Held())
	require.NoError(t, soaked(40, 8, 8).Held(), "within the margins")
	require.NoError(t, soaked(-100, -50, -10).Held(), "less is not more")
	require.ErrorContains(t, soaked(100, 0, 0).Held(), "resident size: ")
	require.ErrorContains(t, soaked(0, 40, 0).Held(), "goroutines, at least: ")
	require.ErrorContains(t, soaked(0, 0, 40).Held(), "p99 of an interval: ")
}

func TestSoakSeesWhatFails(t *testing.T) {
	s := soaked(0, 0, 0)
	s.fates[Shed] = 2
	require.ErrorContains(t, s.Held(), "2 of 1000 exchanges were not decided")
	s = soaked(0, 0, 0)
	s.watch.failed = 1
	require.ErrorContains(t, s.Held(), "not SERVING")
	s = soaked(0, 0, 0)
	s.watch.samples = nil
	require.Error(t, s.Held(), "nothing was seen of the memory")
}

func TestSoakReport(t *testing.T) {
	s := soaked(100, 0, 0)
	var text strings.Builder
	require.NoError(t, s.Report().Write(&text, report.TextEncoding))
	require.Contains(t, text.String(), "FAIL")
	require.Contains(t, text.String(), "First third against the last")
	picture, err := s.Picture()
	require.NoError(t, err)
	require.Contains(t, string(picture), "Goroutines")
}

func TestSoakOptions(t *testing.T) {
	good := SoakOptions{Options: Options{Connections: 1, Callers: 1, Duration: time.Minute}, Share: 0.8}
	require.NoError(t, good.Check())
	fixed := good
	fixed.Share, fixed.Rate = 0, 100
	require.NoError(t, fixed.Check())
	over := good
	over.Share = 1.5
	require.ErrorContains(t, over.Check(), "share is 1.5")
	short := good
	short.Duration = 100 * time.Millisecond
	require.ErrorContains(t, short.Check(), "duration is 100ms")
}

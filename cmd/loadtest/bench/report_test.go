package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

func TestAnUnsteadyMachineIsNotJudged(t *testing.T) {
	steady, changing := &openRun{peaks: [2]float64{100, 110}}, &openRun{peaks: [2]float64{400, 100}}
	require.Equal(t, report.Good, steady.judged(true))
	require.Equal(t, report.Bad, steady.judged(false))
	require.Equal(t, report.Neutral, changing.judged(false))
	require.Contains(t, changing.doubt(), "400")
}

func TestOneByOneIsNotAskedForMoreThanBatchesGive(t *testing.T) {
	c := &comparison{mix: traffic.Short, queue: &queue{tokens: 1000}}
	took := func(who int, d time.Duration) { c.runs[who] = []measure.Usage{{Wall: d, CPU: d}} }
	took(oneReading, 300*time.Millisecond)
	took(perfectReading, 150*time.Millisecond)
	took(thePool, 250*time.Millisecond)
	require.Equal(t, report.Bad, c.againstOneByOne().State, "1.2 where batches give 2")
	took(perfectReading, 245*time.Millisecond)
	require.Equal(t, report.Good, c.againstOneByOne().State, "1.2 where batches give 1.22")
	took(thePool, 290*time.Millisecond)
	require.Equal(t, report.Bad, c.againstOneByOne().State, "1.03 where batches give 1.22")
	c.mix = traffic.MCP
	require.Equal(t, report.Good, c.againstOneByOne().State)
	took(thePool, 302*time.Millisecond)
	require.Equal(t, report.Good, c.againstOneByOne().State, "a tie")
	took(thePool, 304*time.Millisecond)
	require.Equal(t, report.Bad, c.againstOneByOne().State, "never below one by one")
}

func TestAPassEndsWhenASlowModelHasReadEnough(t *testing.T) {
	enough := enoughFor(100, 24)
	require.False(t, enough(24, 99))
	require.True(t, enough(24, 100))
	require.False(t, enough(1, 799))
	require.True(t, enough(1, 800))
	require.False(t, enoughFor(0, 24)(0, 0), "a model that reads no token in the time of a pass has one text to read")
}

package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/report"
)

func TestAnUnsteadyMachineIsNotJudged(t *testing.T) {
	steady, changing := &openRun{peaks: [2]float64{100, 110}}, &openRun{peaks: [2]float64{400, 100}}
	require.Equal(t, report.Good, steady.judged(true))
	require.Equal(t, report.Bad, steady.judged(false))
	require.Equal(t, report.Neutral, changing.judged(false))
	require.Contains(t, changing.doubt(), "400")
}

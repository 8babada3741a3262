package content

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// broken is a context that panics in the middle of a scan.
type broken struct{ context.Context }

func (broken) Err() error { panic("broken") }

// TestAScanThatPanicsLeavesNoRoom: what it holds of a payload must not come up in the next scan.
func TestAScanThatPanicsLeavesNoRoom(t *testing.T) {
	d, err := Parse([]byte(result("text")), Limits{})
	require.NoError(t, err)
	require.NoError(t, d.Assign("tools/call", SideResponse))
	for scans.Get() != nil {
		continue // those of the scans before
	}
	require.Panics(t, func() { _, _ = Builtin().Scan(broken{t.Context()}, d, SideResponse) })
	require.Nil(t, scans.Get())
}

// TestALongListOfNumbersLeavesNoRoom: what is noted of them is more than a scan leaves to the next one.
func TestALongListOfNumbersLeavesNoRoom(t *testing.T) {
	d, err := Parse([]byte(result(strings.Repeat("1234567 :: ", maxRoom/12))), Limits{})
	require.NoError(t, err)
	require.NoError(t, d.Assign("tools/call", SideResponse))
	for scans.Get() != nil {
		continue // those of the scans before
	}
	_, err = Builtin().Scan(t.Context(), d, SideResponse)
	require.NoError(t, err)
	require.Nil(t, scans.Get())
}

package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/messages"
)

func samplePins() []actors.Pin {
	h := func(b byte) (h messages.PinHash) { h[0] = b; return h }
	return []actors.Pin{
		{Service: "math", Tool: "add", Hash: h(1), Fields: map[string]messages.PinHash{"description": h(1), "name": h(9)}, Seen: &actors.SeenPin{
			Hash: h(2), Fields: map[string]messages.PinHash{"description": h(2), "name": h(9)}, At: time.Unix(1e9, 0),
		}},
		{Service: "math", Tool: "sub\x1b[2J", Hash: h(3)},
	}
}

func TestDriftNamesTheMembersAndNothingElse(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, 1, writeDrift(&out, samplePins()))
	require.Equal(t, "math/add: description changed on 2001-09-09 01:46:40 (010000000000 -> 020000000000)\n", out.String())
}

func TestApprove(t *testing.T) {
	pins := samplePins()
	n, stood, err := approve(pins, []string{"math/add"})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Zero(t, stood)
	require.Nil(t, pins[0].Seen)
	require.EqualValues(t, 2, pins[0].Hash[0])
	require.True(t, pins[0].Approved)
	require.False(t, pins[1].Approved)

	n, stood, err = approve(pins, nil)
	require.NoError(t, err)
	require.Equal(t, 1, n, "what was approved is not approved again")
	require.Equal(t, 1, stood)

	_, _, err = approve(samplePins(), []string{"math/mul"})
	require.ErrorContains(t, err, `"math/mul" is not pinned`)
	n, stood, err = approve(samplePins(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Zero(t, stood)
}

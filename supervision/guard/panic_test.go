package guard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestShield(t *testing.T) {
	plain := errors.New("plain")
	require.ErrorIs(t, guard.Shield("op", func() error { return plain }), plain)
	require.NoError(t, guard.Shield("op", func() error { return nil }))

	err := guard.Shield("scan text", func() error { panic("the secret of the payload") })
	require.ErrorIs(t, err, guard.ErrPanic)
	require.EqualError(t, err, "scan text: actor panicked (string)")
	var p *guard.PanicError
	require.ErrorAs(t, err, &p)
	require.Contains(t, string(p.Stack), "TestShield")

	var none []int
	err = guard.Shield("scan text", func() error { none[len(none)] = 1; return nil })
	require.EqualError(t, err, "scan text: actor panicked (runtime error: index out of range [0] with length 0)")
}

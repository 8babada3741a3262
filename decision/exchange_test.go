package decision_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
)

func TestPresent(t *testing.T) {
	require.False(t, (&decision.Exchange{}).Present())
	require.True(t, (&decision.Exchange{HasBody: true}).Present())
	require.True(t, (&decision.Exchange{Body: []byte("{}")}).Present())
}

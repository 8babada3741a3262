package sallyport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/token"
)

func TestTraceKey(t *testing.T) {
	ring, err := token.NewKeyring([]string{"0123456789abcdef"}, token.Options{})
	require.NoError(t, err)
	keys, err := newTraceKeys([]string{"meta.principal", "meta.team", "header.Mcp-Session-Id"}, ring)
	require.NoError(t, err)

	of := func(ex decision.Exchange) [16]byte { k, _ := keys.of(&ex); return k }
	principal := of(decision.Exchange{Principal: "a", Services: []string{"x"}})
	require.Equal(t, principal, of(decision.Exchange{Principal: "a", Services: []string{"y"}}), "a flow may cross services")
	require.NotEqual(t, principal, of(decision.Exchange{Meta: map[string]any{"team": "a"}}), "sources do not collide")
	require.NotEqual(t, principal, of(decision.Exchange{Headers: map[string][]string{"mcp-session-id": {"a"}}}))
	require.Equal(t, of(decision.Exchange{Headers: map[string][]string{"mcp-session-id": {"a"}}}),
		of(decision.Exchange{Headers: map[string][]string{"mcp-session-id": {"a", "b"}}}))

	_, shared := keys.of(&decision.Exchange{Services: []string{"x"}})
	require.True(t, shared)
	_, shared = keys.of(&decision.Exchange{Principal: "a"})
	require.False(t, shared)

	again, err := token.NewKeyring([]string{"0123456789abcdef"}, token.Options{})
	require.NoError(t, err)
	replica, err := newTraceKeys(keys.sources, again)
	require.NoError(t, err)
	other, _ := replica.of(&decision.Exchange{Principal: "a"})
	require.Equal(t, principal, other, "replicas that share a key agree")
}

func TestTraceKeySourcesAreChecked(t *testing.T) {
	for _, bad := range []string{"", "principal", "cookie.x", "meta."} {
		_, err := newTraceKeys([]string{bad}, nil)
		require.ErrorContains(t, err, "want meta.<key> or header.<name>", bad)
	}
}

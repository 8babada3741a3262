package sallyport

import (
	"encoding/json"
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

	team := func(v any) decision.Exchange { return decision.Exchange{Meta: map[string]any{"team": v}} }
	require.Equal(t, of(team("42")), of(team(42.0)), "a number is a name like any other")
	require.Equal(t, of(team("1234567")), of(team(1234567.0)))
	for _, n := range []any{42, int64(42), uint32(42), json.Number("42")} {
		require.Equal(t, of(team(42.0)), of(team(n)), "%T, of a program that asks", n)
	}
	require.NotEqual(t, of(team(42.0)), of(team(43.0)))
	require.NotEqual(t, of(team(true)), of(team(false)))
	for _, none := range []any{nil, "", []any{"a"}, map[string]any{"a": "b"}} {
		x := team(none)
		_, shared := keys.of(&x)
		require.True(t, shared, "%v", none)
	}

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
	for _, bad := range []string{"meta.exchange", "meta.call", "header.x-request-id", "header.X-Request-Id"} {
		_, err := newTraceKeys([]string{"meta.principal", bad}, nil)
		require.ErrorContains(t, err, "differs with every exchange")
	}
}

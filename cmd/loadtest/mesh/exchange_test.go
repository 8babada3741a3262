package mesh

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

func TestExchangesAreOfTheMixAndWellFormed(t *testing.T) {
	s := newSource(0.3, traffic.Standing(traffic.MCP, 1), 1)
	xs, err := s.many(2000)
	require.NoError(t, err)
	calls, lists, results := 0, 0, 0
	for _, x := range xs {
		switch {
		case x.request != nil:
			calls++
			require.NoError(t, content.CheckShape(x.request.GetMethod(), content.SideRequest, x.request.GetMcpRequest()))
			require.NotEmpty(t, x.request.GetMetadataContext().GetFields()["session"].GetStringValue())
		default:
			if x.response.GetMethod() == "tools/list" {
				lists++
			} else {
				results++
			}
			require.NoError(t, content.CheckShape(x.response.GetMethod(), content.SideResponse, x.response.GetMcpResponse()))
		}
	}
	require.InDelta(t, 900, calls, 120)
	require.InDelta(t, 900, results, 120)
	require.InDelta(t, 200, lists, 80)
}

func TestFates(t *testing.T) {
	refusal := func(c extmcp.AuthorizationError_Code) *extmcp.AuthorizationError {
		return &extmcp.AuthorizationError{Code: c}
	}
	require.Equal(t, Passed, fateOf(nil, false, true, nil))
	require.Equal(t, Mutated, fateOf(nil, true, false, nil))
	require.Equal(t, Denied, fateOf(refusal(extmcp.AuthorizationError_PERMISSION_DENIED), false, false, nil))
	require.Equal(t, Shed, fateOf(refusal(extmcp.AuthorizationError_RESOURCE_EXHAUSTED), false, false, nil))
	require.Equal(t, Undecided, fateOf(refusal(extmcp.AuthorizationError_UNKNOWN), false, false, nil))
	for _, f := range []Fate{Shed, Undecided, fateOf(nil, false, false, errors.New("lost")), fateOf(nil, false, false, nil)} {
		require.False(t, f.decided(), f)
	}
	for _, f := range []Fate{Passed, Mutated, Denied} {
		require.True(t, f.decided(), f)
	}
}

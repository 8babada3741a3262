package grpcapi

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// oneDoor admits so many exchanges and then none.
type oneDoor struct {
	checkFunc
	places chan struct{}
}

func (d oneDoor) Admit(_ context.Context, x *decision.Exchange, _ decision.Phase) (func(context.Context) decision.Verdict, decision.Verdict) {
	select {
	case <-d.places:
		return func(ctx context.Context) decision.Verdict { return d.checkFunc(ctx, x) }, decision.Verdict{}
	default:
		return nil, refusal(decision.Shed, decision.CodeResourceExhausted, decision.Rate, decision.ReasonShed, "ref1")
	}
}

func TestDoorRefusesWithoutChecking(t *testing.T) {
	checked := make(chan struct{}, 2)
	d := oneDoor{places: make(chan struct{}, 1), checkFunc: func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		checked <- struct{}{}
		return allow(ctx, x)
	}}
	d.places <- struct{}{}
	r := startChecker(t, d, Options{})

	in, err := r.mcp.CheckRequest(t.Context(), call("{}"))
	require.NoError(t, err)
	require.NotNil(t, in.GetPass())
	in, err = r.mcp.CheckRequest(t.Context(), call("{}"))
	require.NoError(t, err)
	require.Equal(t, extmcp.AuthorizationError_RESOURCE_EXHAUSTED, in.GetError().GetCode())
	require.Contains(t, string(in.GetError().GetMcpError()), `"retry_after_ms":`)
	out, err := r.mcp.CheckResponse(t.Context(), &extmcp.McpResponse{Method: "tools/call", McpResponse: []byte("{}")})
	require.NoError(t, err)
	require.Equal(t, extmcp.AuthorizationError_RESOURCE_EXHAUSTED, out.GetError().GetCode())
	require.Len(t, checked, 1, "what was refused was not checked")
}

// panickingDoor breaks where it should say whether there is room.
type panickingDoor struct{ checkFunc }

func (panickingDoor) Admit(context.Context, *decision.Exchange, decision.Phase) (func(context.Context) decision.Verdict, decision.Verdict) {
	panic("no door")
}

func TestDoorThatPanicsDenies(t *testing.T) {
	r := startChecker(t, panickingDoor{allow}, Options{})
	in, err := r.mcp.CheckRequest(t.Context(), call("{}"))
	require.NoError(t, err)
	require.NotNil(t, in.GetError())
	require.Zero(t, r.Inflight())
}

package grpcapi

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/sallyport-mcp/sallyport/decision"
)

// A refusal without a reference or a sentence gets both: its caller must be able to ask, and its operator to find it.
func TestARefusalIsNeverBare(t *testing.T) {
	for _, phase := range []decision.Phase{decision.Request, decision.Response} {
		e := denial(phase, decision.Verdict{Outcome: decision.Deny, Code: decision.CodePermissionDenied})
		d := data(t, e)
		ref, _ := d["ref"].(string)
		require.NotEmpty(t, ref)
		require.Equal(t, decision.ReasonUndecided+" (ref "+ref+")", e.GetReason())
		require.Equal(t, phase.String(), d["phase"])

		e = denial(phase, decision.Verdict{Outcome: decision.Deny, Ref: "r", Reason: "said (ref r)"})
		require.Equal(t, "said (ref r)", e.GetReason(), "what the engine says stands")
		require.Equal(t, "r", data(t, e)["ref"])
	}
}

// A score that is no number does not make the metadata unreadable.
func TestAScoreIsFinite(t *testing.T) {
	for _, score := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := metadata(decision.Verdict{Ref: "r", Score: score})
		_, err := m.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, 0.0, m.AsMap()["guardrail"].(map[string]any)["score"])
	}
}

// A body over the payload limit is not kept; the checker is told how large it was, on both sides.
func TestTheCheckerHearsOfWhatWasDropped(t *testing.T) {
	seen := map[decision.Phase]int{}
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		require.Empty(t, string(x.Body), "none of it is kept")
		seen[x.Phase] = x.Dropped
		return allow(ctx, x)
	}, Options{MaxPayloadBytes: 1 << 20})
	long := `{"name":"` + strings.Repeat("x", 2<<20) + `"}`
	_, err := r.mcp.CheckRequest(within(t), call(long))
	require.NoError(t, err)
	_, err = r.mcp.CheckResponse(within(t), result(long))
	require.NoError(t, err)
	require.Equal(t, map[decision.Phase]int{decision.Request: len(long), decision.Response: len(long)}, seen)
}

// What the server refuses by itself is told to whoever writes the trail, with the verdict that went out.
func TestOwnRefusalsAreTold(t *testing.T) {
	told := make(chan decision.Verdict, 1)
	r := start(t, allow, Options{Observer: Observer{Refused: func(_ decision.Phase, v decision.Verdict) { told <- v }}})
	for _, method := range []string{methodRequest, methodResponse} {
		var out []byte
		require.NoError(t, r.conn.Invoke(within(t), method, []byte{0xff, 0xff, 0xff}, &out, grpc.ForceCodecV2(raw{})))
		v := <-told
		require.Equal(t, decision.Invalid, v.Outcome)
		require.Contains(t, string(out), v.Ref)
	}
}

// A mutation that is none would be a pass of what was to be masked, or a reply that the gateway cannot read.
func TestAMutationNeedsABody(t *testing.T) {
	for _, tc := range []struct {
		body              []byte
		request, response bool // may go out
	}{
		{nil, false, false}, {[]byte{}, false, false}, {[]byte(" \n"), false, false},
		{[]byte("null"), false, true}, {[]byte("[]"), false, true}, {[]byte(" {}"), true, true},
	} {
		v := decision.Verdict{Outcome: decision.Mutated, Ref: "r", Body: tc.body}
		request := requestReply(&decision.Exchange{Phase: decision.Request, HasBody: true}, v)
		response := responseReply(&decision.Exchange{Phase: decision.Response, HasBody: true}, v)
		require.Equal(t, tc.request, request.GetError() == nil, "%q", tc.body)
		require.Equal(t, tc.response, response.GetError() == nil, "%q", tc.body)
		require.Nil(t, request.GetPass(), "%q", tc.body)
		require.Nil(t, response.GetPass(), "%q", tc.body)
	}
}

package grpcapi

import (
	"encoding/json/v2"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// Any verdict, however broken, becomes a reply that has a result and can be
// encoded, and a refusal never becomes a pass.
func TestAnyVerdictHasAReply(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		v := decision.Verdict{
			Outcome:  decision.Outcome(rapid.Byte().Draw(t, "outcome")),
			Code:     decision.Code(rapid.Byte().Draw(t, "code")),
			Category: decision.Category(text.Draw(t, "category")),
			Reason:   text.Draw(t, "reason"), Ref: text.Draw(t, "ref"), Call: text.Draw(t, "call"),
			RetryAfter: time.Duration(rapid.Int64().Draw(t, "retry")),
			Score:      rapid.Float64().Draw(t, "score"),
			Body:       rapid.SampledFrom([][]byte{nil, {}, []byte(" {}"), []byte("null"), []byte("[]")}).Draw(t, "body"),
		}
		x := &decision.Exchange{HasBody: rapid.Bool().Draw(t, "has body")}
		request, response := requestReply(x, v), responseReply(x, v)
		for _, m := range []proto.Message{request, response} {
			_, err := proto.Marshal(m)
			require.NoError(t, err)
		}
		require.NotNil(t, request.GetResult())
		require.NotNil(t, response.GetResult())
		if v.Denied() {
			require.NotNil(t, request.GetError())
			require.NotNil(t, response.GetError())
			require.NotEmpty(t, request.GetError().GetReason())
			var d map[string]any
			require.NoError(t, json.Unmarshal(request.GetError().GetMcpError(), &d))
		} else if v.Body != nil && string(v.Body) != " {}" {
			require.Equal(t, unknown, response.GetError().GetCode(), "a mutation that the gateway would refuse is no pass")
		}
	})
}

func TestCodesHaveTheWireNumbers(t *testing.T) {
	for code, wire := range map[decision.Code]extmcp.AuthorizationError_Code{
		decision.CodeUnknown: unknown, decision.CodePermissionDenied: denied,
		decision.CodeResourceExhausted: exhausted, decision.CodeInvalid: invalid, 9: unknown,
	} {
		got := denial(decision.Request, decision.Verdict{Outcome: decision.Deny, Code: code, Reason: "r"})
		require.Equal(t, wire, got.GetCode())
	}
}

func TestErrorDataIsOneObject(t *testing.T) {
	v := decision.Verdict{Outcome: decision.Deny, Code: decision.CodeResourceExhausted, Category: decision.Rate, Ref: "r"}
	require.JSONEq(t, `{"ref":"r","phase":"response","category":"rate","retry_after_ms":1000}`,
		string(denial(decision.Response, v).GetMcpError()), "an unknown wait is a second")
	v.RetryAfter = 1
	require.JSONEq(t, `{"ref":"r","phase":"request","category":"rate","retry_after_ms":1}`,
		string(denial(decision.Request, v).GetMcpError()), "a wait is rounded up")
	v = decision.Verdict{Outcome: decision.Deny, Code: decision.CodePermissionDenied, Ref: `"\` + "\xff"}
	require.JSONEq(t, `{"ref":"\"\\�","phase":"request","category":"policy"}`, string(denial(decision.Request, v).GetMcpError()))
}

func TestMetadata(t *testing.T) {
	v := decision.Verdict{Outcome: decision.Flagged, Ref: "r", Score: math.NaN()}
	reply := requestReply(&decision.Exchange{}, v)
	require.Equal(t, map[string]any{"guardrail": map[string]any{"outcome": "review", "ref": "r", "score": 0.0}},
		reply.GetMetadata().AsMap(), "no token, no key; a score is a number")
	_, err := reply.GetMetadata().MarshalJSON()
	require.NoError(t, err)
}

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

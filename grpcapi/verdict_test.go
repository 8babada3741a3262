package grpcapi

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

const (
	unknown   = extmcp.AuthorizationError_UNKNOWN
	denied    = extmcp.AuthorizationError_PERMISSION_DENIED
	exhausted = extmcp.AuthorizationError_RESOURCE_EXHAUSTED
	invalid   = extmcp.AuthorizationError_INVALID
)

// want is what the wire says; passes leave code and category alone.
type want struct {
	pass     bool
	code     extmcp.AuthorizationError_Code
	category string
	outcome  string // of metadata.guardrail
}

func deny(c extmcp.AuthorizationError_Code, category string) want {
	return want{code: c, category: category}
}
func pass(outcome string) want { return want{pass: true, outcome: outcome} }

func finding(s decision.Severity, c decision.Category) decision.Input {
	return decision.Input{Findings: []decision.Finding{{Scanner: "content", Detector: "d", Severity: s, Category: c}}}
}

func hit(kind string, c decision.Category) decision.Input {
	return decision.Input{Hits: []decision.Hit{{Rule: "secret-rule-name", Kind: kind, Action: decision.ActionBlock, Category: c, RetryAfter: 1500 * time.Microsecond}}}
}

func fault(k decision.FaultKind) decision.Input {
	return decision.Input{Faults: []decision.Fault{{Scanner: "model", Kind: k, Detail: "secret-detail"}}}
}

// Every row of the table of answers, in both failure modes, over a real
// connection in both phases.
func TestEveryRowOfTheTable(t *testing.T) {
	rows := []struct {
		name         string
		in           decision.Input
		closed, open want
	}{
		{"detector block", finding(decision.Block, decision.Secret), deny(denied, "secret"), deny(denied, "secret")},
		{"model block", finding(decision.Block, decision.PromptInjection), deny(denied, "prompt_injection"), deny(denied, "prompt_injection")},
		{"flow", hit("flow", decision.ToolFlow), deny(denied, "tool_flow"), deny(denied, "tool_flow")},
		{"loop", hit("loop", decision.ToolFlow), deny(denied, "tool_flow"), deny(denied, "tool_flow")},
		{"call rule", hit("call", decision.ToolPolicy), deny(denied, "tool_policy"), deny(denied, "tool_policy")},
		{"acl", hit("acl", decision.ToolPolicy), deny(denied, "tool_policy"), deny(denied, "tool_policy")},
		{"pin", hit("pin", decision.ToolPolicy), deny(denied, "tool_policy"), deny(denied, "tool_policy")},
		{"rate", hit("rate", decision.Rate), deny(exhausted, "rate"), deny(exhausted, "rate")},
		{"budget", hit("budget", decision.Rate), deny(exhausted, "rate"), deny(exhausted, "rate")},
		{"admission", decision.Input{Shed: true, RetryAfter: time.Second}, deny(exhausted, "rate"), deny(exhausted, "rate")},
		{"unparsable", decision.Input{Malformed: true}, deny(invalid, "malformed"), deny(invalid, "malformed")},
		{"over a parser limit", decision.Input{Malformed: true, Oversize: true}, deny(invalid, "size"), deny(invalid, "size")},
		{"scanner error", fault(decision.FaultError), deny(unknown, "unavailable"), pass("review")},
		{"scanner timeout", fault(decision.FaultTimeout), deny(unknown, "unavailable"), pass("review")},
		{"queue full", fault(decision.FaultQueueFull), deny(unknown, "unavailable"), pass("review")},
		{"model lost", fault(decision.FaultDown), deny(unknown, "unavailable"), pass("review")},
		{"rule error", fault(decision.FaultRule), deny(unknown, "unavailable"), pass("review")},
		{"not ready", fault(decision.FaultNotReady), deny(unknown, "unavailable"), deny(unknown, "unavailable")},
		{"engine panic", fault(decision.FaultPanic), deny(unknown, "unavailable"), deny(unknown, "unavailable")},
		{"audit refuses", fault(decision.FaultAudit), deny(unknown, "unavailable"), deny(unknown, "unavailable")},
		{"partial coverage", decision.Input{Partial: true}, pass("review"), pass("review")},
		{"review", finding(decision.Review, decision.HiddenText), pass("review"), pass("review")},
		{"mutation", decision.Input{Mutation: []byte(`{"name":"masked"}`), Redactions: 1}, pass("mutated"), pass("mutated")},
		{"nothing", decision.Input{}, pass("allow"), pass("allow")},
	}
	var policy decision.Policy
	var in decision.Input
	r := start(t, func(_ context.Context, x *decision.Exchange) decision.Verdict {
		v := decision.Aggregate(in, policy)
		if !v.Denied() && x.Phase == decision.Request {
			v.Call = "token"
		}
		return v
	}, Options{})
	for _, row := range rows {
		for mode, want := range map[decision.FailureMode]want{decision.FailClosed: row.closed, decision.FailOpen: row.open} {
			t.Run(row.name, func(t *testing.T) {
				policy, in = decision.Policy{Failure: mode}, row.in
				in.Ref, in.Score = "0a1b2c3d4e5f6g7h", 0.25
				reply, err := r.mcp.CheckRequest(within(t), call(`{"name":"get_secret"}`))
				require.NoError(t, err)
				checkReply(t, want, decision.Request, in, reply.GetPass() != nil, reply.GetMutated(), reply.GetError())
				require.Nil(t, reply.GetHeaderMutation())
				if want.pass {
					require.Equal(t, map[string]any{
						"call":      "token",
						"guardrail": map[string]any{"outcome": want.outcome, "ref": in.Ref, "score": 0.25},
					}, reply.GetMetadata().AsMap())
				} else {
					require.Nil(t, reply.GetMetadata())
				}
				answer, err := r.mcp.CheckResponse(within(t), result(`{"content":[]}`))
				require.NoError(t, err)
				checkReply(t, want, decision.Response, in, answer.GetPass() != nil, answer.GetMutated(), answer.GetError())
			})
		}
	}
	t.Run("review under deny", func(t *testing.T) {
		policy, in = decision.Policy{Review: decision.ReviewDeny}, finding(decision.Review, decision.HiddenText)
		in.Ref = "0a1b2c3d4e5f6g7h"
		reply, err := r.mcp.CheckRequest(within(t), call(`{}`))
		require.NoError(t, err)
		checkReply(t, deny(denied, "hidden_text"), decision.Request, in, false, nil, reply.GetError())
	})
}

var sentence = regexp.MustCompile(`^[a-zA-Z ]+ \(ref 0a1b2c3d4e5f6g7h\)$`)

func checkReply(t *testing.T, want want, phase decision.Phase, in decision.Input, passed bool, mutated []byte, refused *extmcp.AuthorizationError) {
	t.Helper()
	if want.pass {
		require.Nil(t, refused)
		require.Equal(t, in.Mutation, mutated)
		require.Equal(t, in.Mutation == nil, passed)
		return
	}
	require.False(t, passed)
	require.Nil(t, mutated)
	require.Equal(t, want.code, refused.GetCode())
	require.Regexp(t, sentence, refused.GetReason())
	expected := map[string]any{"ref": in.Ref, "phase": phase.String(), "category": want.category}
	if want.code == exhausted {
		expected["retry_after_ms"] = 1000.0
		if !in.Shed {
			expected["retry_after_ms"] = 2.0 // 1.5 ms, rounded up
		}
	}
	require.Equal(t, expected, data(t, refused))
	require.NotContains(t, refused.String(), "secret-rule-name")
	require.NotContains(t, refused.String(), "secret-detail")
}

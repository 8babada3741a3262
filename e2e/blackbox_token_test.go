//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// tokenOf makes a call and returns the token of the reply.
func (s *sidecar) tokenOf(c wireCall) string {
	s.t.Helper()
	r := s.wire(c)
	require.Equal(s.t, "pass", r.verdict, r.reason)
	token, _ := r.metadata["call"].(string)
	require.NotEmpty(s.t, token)
	return token
}

// tokens is how many hand-back tokens had that fate.
func (s *sidecar) tokens(fate string) float64 {
	s.t.Helper()
	return s.metric("mcp_guardrails_exchange_tokens_total", "result", fate)
}

// Every fate of a token: what the caller is told, what the trail says and which
// series moves.
func TestBlackboxTokens(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 32)
	old := strings.Repeat("o", 32)
	s := serve(t, noModel.with(env{"EXCHANGE_KEY": key, "HUMAN_REVIEW_MODE": "deny"}))
	twin := serve(t, noModel.with(env{"EXCHANGE_KEY": strings.Repeat("n", 32) + "," + key}))
	before := serve(t, noModel.with(env{"EXCHANGE_KEY": old}))
	call := toolCall(`{"name":"forecast","arguments":{}}`)
	good := s.tokenOf(call)
	other := before.tokenOf(call)
	answer := func(token any, change func(*wireCall)) wireCall {
		c := toolResult(`{"content":[{"type":"text","text":"fine weather"}]}`)
		if token != nil {
			c = c.with("call", token)
		}
		if change != nil {
			change(&c)
		}
		return c
	}
	const heldBack = "PERMISSION_DENIED"
	for _, row := range []struct {
		name   string
		call   wireCall
		fate   string
		want   string
		tool   string
		detect string
	}{
		{"absent", answer(nil, nil), "missing", "pass", "", ""},
		{"empty", answer("", nil), "missing", "pass", "", ""},
		{"a number", answer(7.0, nil), "missing", "pass", "", ""},
		{"not a token", answer("hello", nil), "unknown_key", "pass", "", ""},
		{"of another key", answer(other, nil), "unknown_key", "pass", "", ""},
		{"far too long", answer(strings.Repeat("A", 1<<20), nil), "unknown_key", "pass", "", ""},
		{"cut", answer(good[:40], nil), "unknown_key", "pass", "", ""},
		{"blank around it", answer(" "+good, nil), "unknown_key", "pass", "", ""},
		{"forged", answer(tampered(good), nil), "invalid", heldBack, "", "call_token_forged"},
		{"of another service", answer(good, func(c *wireCall) { c.services = []string{"else"} }), "invalid", heldBack, "", "call_token_mismatch"},
		{"of another method", answer(good, func(c *wireCall) { c.method = "prompts/get"; c.body = &[]string{`{"messages":[]}`}[0] }), "invalid", heldBack, "", "call_token_mismatch"},
		{"good", answer(good, nil), "valid", "pass", "forecast", ""},
		{"good again", answer(good, nil), "repeated", "pass", "forecast", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := s.on(t)
			seen, all := s.tokens(row.fate), s.metric("mcp_guardrails_exchange_tokens_total")
			id := "token " + row.name
			r := s.wire(row.call.with("exchange", id))
			checkShape(t, row.call, r)
			require.Equal(t, row.want, r.verdict, r.reason)
			require.Equal(t, seen+1, s.tokens(row.fate))
			require.Equal(t, all+1, s.metric("mcp_guardrails_exchange_tokens_total"), "a token has one fate")
			l := s.awaitLine(id, func(l audit.Line) bool { return l.Exchange == id })
			require.Equal(t, row.tool, l.Tool)
			if row.detect != "" {
				require.True(t, strings.HasPrefix(r.reason, "held for human review"), r.reason)
				require.Equal(t, "policy", r.data["category"])
				require.Len(t, l.Findings, 1)
				require.Equal(t, row.detect, l.Findings[0].Detector)
			}
		})
	}
	t.Run("on a replica that has rotated the key", func(t *testing.T) {
		twin := twin.on(t)
		r := twin.wire(answer(s.tokenOf(call), nil).with("exchange", "twin"))
		require.Equal(t, "pass", r.verdict)
		require.Equal(t, "forecast", twin.awaitLine("twin", func(l audit.Line) bool { return l.Exchange == "twin" }).Tool)
	})
	t.Run("from a replica that has rotated the key", func(t *testing.T) {
		s := s.on(t)
		seen := s.tokens("unknown_key")
		require.Equal(t, "pass", s.wire(answer(twin.tokenOf(call), nil)).verdict)
		require.Equal(t, seen+1, s.tokens("unknown_key"))
	})
}

// A token that is too old counts as none.
func TestBlackboxTokenExpires(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel.with(env{"EXCHANGE_TOKEN_MAX_AGE": "1s", "HUMAN_REVIEW_MODE": "deny"}))
	c := toolResult(`{"content":[]}`).with("call", s.tokenOf(toolCall(`{"name":"forecast"}`)))
	eventually(t, func() bool {
		require.Equal(t, "pass", s.wire(c).verdict)
		return s.tokens("expired") > 0
	}, "the token never expired")
}

// One token feeds one result event: a result that is answered twice does not
// advance a flow twice.
func TestBlackboxTokenFeedsOnce(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", `version: 1
name: results
rules:
  - name: tainted-then-send
    flow:
      within: 1h
      steps:
        - result: {tool: fetch, labels: [personal_data]}
        - call: {tool: send}
`)
	s := serve(t, noModel.with(env{"INVARIANT_RULES_PATH": pack, "REDACT_RESPONSES": "false"}))
	fetch := toolCall(`{"name":"fetch"}`).with("session", "a")
	send := toolCall(`{"name":"send"}`).with("session", "a")
	dirty := toolResult(`{"content":[{"type":"text","text":"write to kim@example.org"}]}`)
	require.Equal(t, "pass", s.wire(send).verdict, "nothing was read yet")
	token := s.tokenOf(fetch)
	require.Equal(t, "pass", s.wire(dirty).verdict, "no token: nobody knows whose result it is")
	require.Equal(t, "pass", s.wire(send).verdict)
	require.Equal(t, "pass", s.wire(dirty.with("call", token)).verdict)
	r := s.wire(send)
	require.Equal(t, "PERMISSION_DENIED", r.verdict)
	require.Equal(t, "tool_flow", r.data["category"])
	require.Equal(t, "pass", s.wire(toolCall(`{"name":"send"}`).with("session", "b")).verdict, "somebody else")
}

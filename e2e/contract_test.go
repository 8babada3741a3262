//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// method is how a gateway calls us for one MCP method.
type method struct {
	name    string
	params  string // a valid params object
	result  string // a valid result object
	metric  string // label; the name when empty
	listing bool   // sent without params for several services
}

var methods = []method{
	{name: "tools/call", params: `{"name":"forecast","arguments":{"city":"Oslo"}}`, result: `{"content":[{"type":"text","text":"fine weather"}]}`},
	{name: "prompts/get", params: `{"name":"greet","arguments":{"who":"Kim"}}`, result: `{"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]}`},
	{name: "resources/read", params: `{"uri":"file:///a.txt"}`, result: `{"contents":[{"uri":"file:///a.txt","text":"hello"}]}`},
	{name: "tools/list", params: `{}`, result: `{"tools":[{"name":"add","description":"Add two numbers.","inputSchema":{"type":"object"}}]}`, listing: true},
	{name: "prompts/list", params: `{}`, result: `{"prompts":[{"name":"greet"}]}`, listing: true},
	{name: "resources/list", params: `{}`, result: `{"resources":[{"uri":"file:///a.txt","name":"a"}]}`, listing: true},
	{name: "resources/templates/list", params: `{}`, result: `{"resourceTemplates":[{"uriTemplate":"file:///{p}","name":"a"}]}`, listing: true},
	{name: "initialize", params: `{}`, result: `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"up","version":"1"}}`, listing: true},
	{name: "server/discover", params: `{}`, result: `{"serverInfo":{"name":"up","version":"1"}}`, listing: true},
	{name: "ping", params: `{}`, result: `{}`, listing: true},
	{name: "logging/setLevel", params: `{}`, result: `{}`, listing: true},
	{name: "subscriptions/listen", params: `{}`, result: `{}`, listing: true},
	{name: "resources/subscribe", params: `{"uri":"file:///a.txt"}`, result: `{}`},
	{name: "resources/unsubscribe", params: `{"uri":"file:///a.txt"}`, result: `{}`},
	{name: "completion/complete", params: `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}`, result: `{"completion":{"values":["Paris","Porto"]}}`},
	{name: "tasks/get", params: `{"taskId":"1"}`, result: `{"taskId":"1","status":"working"}`},
	{name: "tasks/update", params: `{"taskId":"1"}`, result: `{}`},
	{name: "tasks/cancel", params: `{"taskId":"1"}`, result: `{}`},
	{name: "acme/custom", params: `{"x":1}`, result: `{"y":2}`, metric: "other"},
	{name: "", params: `{}`, result: `{}`, metric: "other"},
}

// serviceLists are what a gateway may name.
var serviceLists = [][]string{{"one"}, {"one", "two"}, {"one", "two", "three", "one"}, {}, {""}}

// Every method in both phases, with absent, empty and present bodies, under one,
// several and no service names.
func TestEX07EveryMethodBothPhases(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	for _, m := range methods {
		t.Run(strings.ReplaceAll(m.name, "/", "_"), func(t *testing.T) {
			s := s.on(t)
			label := m.metric
			if label == "" {
				label = m.name
			}
			before := s.metric("mcp_guardrails_decisions_total", "method", label)
			asked := 0
			for _, services := range serviceLists {
				check := func(x exchange) answer {
					asked++
					x.method, x.services = m.name, services
					if x.method == "" {
						x.method = " " // the helper's own default is tools/call
					}
					return s.ask(x)
				}
				absent := check(exchange{})
				if m.listing {
					s.passed(absent, "pass", "allow")
				} else {
					// A gateway never leaves these params out.
					require.Contains(t, []string{"pass", "INVALID"}, absent.verdict())
				}
				s.refused(check(exchange{body: []byte{}}), malformed)
				s.passed(check(request(m.params)), "pass", "allow")
				require.Equal(t, "pass", check(result(m.result)).verdict(), m.result)
				s.refused(check(exchange{response: true}), malformed)
				// What is found in a result is masked, whatever the method and the member.
				more := `"note":"write to kim@example.org","n":9007199254740993}`
				if m.result != `{}` {
					more = "," + more
				}
				a := check(result(strings.TrimSuffix(m.result, "}") + more))
				require.Equal(t, "mutated", a.verdict())
				require.NotContains(t, string(a.mutated), "kim@example.org")
				require.Contains(t, string(a.mutated), `"n":9007199254740993`)
			}
			require.Equal(t, before+float64(asked), s.metric("mcp_guardrails_decisions_total", "method", label))
		})
	}
}

// JS-07: what is no params object is refused, counted, and breaks nothing.
func TestJS07JunkIsInvalid(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	bodies := []string{"marzipan", "[]", "null", `"x"`, "1", ""}
	for _, m := range []string{"tools/call", "prompts/get", "resources/read"} {
		for _, body := range bodies {
			t.Run(m+" "+body, func(t *testing.T) {
				s := s.on(t)
				s.refused(s.ask(exchange{method: m, body: []byte(body)}), malformed)
			})
		}
	}
	require.EqualValues(t, 3*len(bodies), s.metric("mcp_guardrails_decisions_total", "outcome", "invalid"))
	require.EqualValues(t, 3*len(bodies), s.metric("mcp_guardrails_findings_total", "category", "malformed"))
}

// JS-01: every number keeps its spelling.
func TestJS01NumbersKeepTheirBytes(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	a := s.ask(result(`{"content":[{"type":"text","text":"mail me at kim@example.org"}],"structuredContent":{"id":9007199254740993,"big":1844674407370955161,"exp":1e400,"neg":-0}}`))
	require.Equal(t, "mutated", a.verdict())
	require.NotContains(t, string(a.mutated), "kim@example.org")
	require.Contains(t, string(a.mutated), `"structuredContent":{"id":9007199254740993,"big":1844674407370955161,"exp":1e400,"neg":-0}`)
}

// JS-04 and JS-06: the audit, and only the audit, says what was wrong with the body.
func TestJS04DuplicateName(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	ref := s.refused(s.ask(request(`{"name":"read_weather","name":"delete_repo","arguments":{"q":"x"}}`)), malformed)
	l := s.lineOf(ref)
	require.Len(t, l.Findings, 1)
	require.Contains(t, l.Findings[0].Detector, "duplicate")
	require.Equal(t, "/name", l.Findings[0].Path)
	require.Zero(t, s.metric("mcp_guardrails_scanner_results_total", "scanner", "content"), "no scanner ran")
}

func TestJS06TruncatedIsNotSyntax(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	cut := s.refused(s.ask(request(`{"name":"send_note","arguments":{"text":"aaaa`)), malformed)
	wrong := s.refused(s.ask(request(`{"name":"send_note","arguments":{"text":aaaa}}`)), malformed)
	require.NotEqual(t, s.lineOf(cut).Findings[0].Detector, s.lineOf(wrong).Findings[0].Detector)
	require.Contains(t, s.lineOf(cut).Findings[0].Detector, "truncated")
}

// JS-08: a mutated message has the members that it had.
func TestJS08MutationKeepsTheObject(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel.with(env{"REDACT_REQUEST_PARAMS": "true"}))
	for _, x := range []exchange{
		request(`{"name":"save","arguments":{"k":"` + sampleKey + `","n":1.50},"_meta":{"progressToken":7},"unknown":null}`),
		result(`{"content":[{"type":"text","text":"kim@example.org"}],"isError":true,"_meta":{"a":"b"},"later":[1,2]}`),
		{response: true, method: "resources/read", body: []byte(`{"contents":[{"uri":"file:///a","text":"kim@example.org"}],"x":{}}`)},
	} {
		a := s.ask(x)
		require.Equal(t, "mutated", a.verdict(), "%s", x.body)
		var before, after map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(x.body, &before))
		require.NoError(t, json.Unmarshal(a.mutated, &after))
		require.Equal(t, keys(before), keys(after))
	}
}

// A request whose gateway speaks a later version of the contract is read as far as
// it is known, and metadata of the wrong kind is no identity.
func TestUnknownFieldsAndOddMetadata(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	in := &extmcp.McpRequest{ServiceNames: []string{"svc"}, Method: "tools/call", McpRequest: []byte(`{"name":"x"}`)}
	raw, err := proto.Marshal(in)
	require.NoError(t, err)
	raw = protowire.AppendTag(raw, 99, protowire.BytesType)
	raw = protowire.AppendString(raw, "from the future")
	later := new(extmcp.McpRequest)
	require.NoError(t, proto.Unmarshal(raw, later))
	r, err := s.mcp.CheckRequest(within(t), later)
	require.NoError(t, err)
	require.NotNil(t, r.GetPass())
	require.Nil(t, r.GetHeaderMutation())

	odd := request(`{"name":"x"}`)
	odd.meta = map[string]any{"principal": 7.0, "session": []any{"a"}, "exchange": map[string]any{}, "call": true, "route": nil}
	ref, _ := s.passed(s.ask(odd), "pass", "allow")
	l := s.lineOf(ref)
	require.Empty(t, l.Principal)
	require.NotEmpty(t, l.Exchange)
}

// Headers that nobody asked for are kept nowhere; x-request-id names the exchange.
func TestHeadersThatAreKept(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	s.secrets = []string{"Bearer-abcdef", "cookie-value-1"}
	x := request(`{"name":"x"}`)
	x.headers = []*extmcp.McpHeader{
		{Key: "authorization", Value: []byte("Bearer-abcdef")}, {Key: "cookie", Value: []byte("cookie-value-1")},
		{Key: "x-request-id", Value: []byte("req-77")}, {Key: "x-forwarded-user", Value: []byte("kim")},
	}
	ref, _ := s.passed(s.ask(x), "pass", "allow")
	l := s.lineOf(ref)
	require.Equal(t, "req-77", l.Exchange)
	require.Equal(t, map[string]string{"x-forwarded-user": "kim"}, l.Headers)
}

// A gateway cannot read a compressed reply, even where it compresses its request.
func TestRepliesAreNotCompressed(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	for _, opts := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
		r, err := s.mcp.CheckResponse(within(t), &extmcp.McpResponse{Method: "tools/call", McpResponse: []byte(`{"content":[{"type":"text","text":"kim@example.org"}]}`)}, opts...)
		if len(opts) > 0 && err != nil {
			continue // refusing what it cannot read is as good
		}
		require.NoError(t, err)
		require.NotNil(t, r.GetMutated())
	}
}

// CT-03: up to the receive limit the answer is ours, above it the transport's, and
// other calls on the connection go on.
func TestCT03Oversize(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	const limit = 16 << 20 // GRPC_MAX_RECV_BYTES
	of := func(size int) exchange {
		head, foot := `{"content":[],"pad":"`, `"}`
		return result(head + strings.Repeat("a", size-len(head)-len(foot)) + foot)
	}
	for _, size := range []int{3_900_000, 4_100_000, 8 << 20} {
		require.Equal(t, "pass", s.ask(of(size)).verdict(), size)
	}
	s.refused(s.ask(of(8<<20+1)), oversize)
	s.refused(s.ask(of(limit-100)), oversize)
	others := make(chan error, 1)
	go func() {
		for range 20 {
			if _, err := request(`{"name":"x"}`).try(within(t), s.mcp); err != nil {
				others <- err
				return
			}
		}
		others <- nil
	}()
	_, err := of(limit+1).try(within(t), s.mcp)
	require.ErrorContains(t, err, "ResourceExhausted")
	require.NoError(t, <-others)
	s.awaitLog("message over the receive limit", nil)
	t.Run("metric", func(t *testing.T) {
		s := s.on(t)
		require.EqualValues(t, 1, s.metric("mcp_guardrails_transport_refused_total", "reason", "oversize"))
	})
}

// CT-04: every scanner that is switched on runs, and says so.
func TestCT04EveryScannerRuns(t *testing.T) {
	t.Parallel()
	s := serve(t, env{})
	s.ask(request(`{"name":"kubectl_get","arguments":{"kind":"Secret","name":"db"}}`).in("a"))
	x := text(injection)
	x.meta = map[string]any{"exchange": "trip"}
	s.refused(s.ask(x), blocked("prompt_injection"))
	s.ask(exchange{response: true, method: "tools/list", body: []byte(methods[3].result)})
	for _, scanner := range []string{"content", "model", "rules"} {
		require.Positive(t, s.metric("mcp_guardrails_scanner_results_total", "scanner", scanner), scanner)
	}
	require.Positive(t, s.metric("mcp_guardrails_scanner_results_total", "scanner", "model", "outcome", "found"))
	l := s.awaitLine("the tripped exchange", func(l audit.Line) bool { return l.Exchange == "trip" })
	require.NotEmpty(t, l.Model)
	require.Contains(t, keys(l.Scores), "judge")
	require.ElementsMatch(t, []any{"content", "model", "rules"}, s.awaitLog("scanners", nil)["enabled"], "it says which are on")
	require.ElementsMatch(t, []any{"content", "rules"}, serve(t, noModel).awaitLog("scanners", nil)["enabled"])
}

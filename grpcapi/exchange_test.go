package grpcapi

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// seen starts a server that keeps the last exchange.
func seen(t *testing.T, o Options) (*running, *decision.Exchange) {
	last := new(decision.Exchange)
	return start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		*last = *x
		return allow(ctx, x)
	}, o), last
}

func header(key, value string) *extmcp.McpHeader {
	return &extmcp.McpHeader{Key: key, Value: []byte(value)}
}

func TestRequestIsMapped(t *testing.T) {
	r, x := seen(t, Options{KeepHeaders: []string{"X-Team", "x-forwarded-user"}})
	md, err := structpb.NewStruct(map[string]any{
		"principal": "ana", "session": "s1", "route": "r1", "exchange": "e1", "call": "token",
		"tenant": "blue", "level": 3.0, "roles": []any{"a", "b"}, "nested": map[string]any{"k": true}, "nothing": nil,
	})
	require.NoError(t, err)
	_, err = r.mcp.CheckRequest(within(t), &extmcp.McpRequest{
		ServiceNames: []string{"k8s"}, Method: "tools/call", McpRequest: []byte(`{"name":"x"}`), MetadataContext: md,
		Headers: []*extmcp.McpHeader{
			header(":path", "/mcp"), header("authorization", "Bearer hush"), header("cookie", "hush"),
			header("mcp-session-id", "m1"), header("x-request-id", "q1"), header("x-team", "one"), header("X-Team", "two"),
			header("x-forwarded-user", "raw\xff"), header("x-other", "no"),
		},
	})
	require.NoError(t, err)
	require.Equal(t, &decision.Exchange{
		Phase: decision.Request, Method: "tools/call", Services: []string{"k8s"}, Body: []byte(`{"name":"x"}`), HasBody: true,
		Principal: "ana", Session: "s1", Route: "r1", ID: "e1", Call: "token",
		Meta: map[string]any{"tenant": "blue", "level": 3.0, "roles": []any{"a", "b"}, "nested": map[string]any{"k": true}, "nothing": nil},
		Headers: map[string][]string{
			"mcp-session-id": {"m1"}, "x-request-id": {"q1"}, "x-team": {"one", "two"}, "x-forwarded-user": {"raw\xff"},
		},
	}, x)
}

func TestResponseIsMapped(t *testing.T) {
	r, x := seen(t, Options{})
	md, err := structpb.NewStruct(map[string]any{"principal": "ana", "call": "token", "tenant": "blue"})
	require.NoError(t, err)
	_, err = r.mcp.CheckResponse(within(t), &extmcp.McpResponse{
		ServiceNames: []string{"a", "b"}, Method: "tools/list", MetadataContext: md, McpResponse: []byte(`{"tools":[]}`),
	})
	require.NoError(t, err)
	require.Equal(t, &decision.Exchange{
		Phase: decision.Response, Method: "tools/list", Services: []string{"a", "b"}, Body: []byte(`{"tools":[]}`), HasBody: true,
		Principal: "ana", Call: "token", Meta: map[string]any{"tenant": "blue"},
	}, x)
}

func TestOnlyStringsAreIdentity(t *testing.T) {
	r, x := seen(t, Options{})
	md, err := structpb.NewStruct(map[string]any{"principal": 42.0, "session": nil, "exchange": []any{"e"}})
	require.NoError(t, err)
	_, err = r.mcp.CheckRequest(within(t), &extmcp.McpRequest{Method: "ping", MetadataContext: md})
	require.NoError(t, err)
	require.Empty(t, x.Principal+x.Session+x.ID)
	require.Equal(t, map[string]any{"principal": 42.0, "session": nil, "exchange": []any{"e"}}, x.Meta)
}

func TestExchangeID(t *testing.T) {
	r, x := seen(t, Options{})
	for name, tc := range map[string]struct{ meta, header, want string }{
		"the gateway's":           {"e1", "q1", "e1"},
		"else the request's":      {"", "q1", "q1"},
		"else none":               {"", "", ""},
		"a broken one is none":    {"e\n1", "", ""},
		"then the request's":      {strings.Repeat("e", maxID+1), "q1", "q1"},
		"unless it is broken too": {"", "q\x7f", ""},
		"or not text":             {"", "q\xff", ""},
		"the longest there is":    {strings.Repeat("e", maxID), "", strings.Repeat("e", maxID)},
	} {
		t.Run(name, func(t *testing.T) {
			in := &extmcp.McpRequest{Method: "ping"}
			if tc.meta != "" {
				in.MetadataContext = &structpb.Struct{Fields: map[string]*structpb.Value{"exchange": structpb.NewStringValue(tc.meta)}}
			}
			if tc.header != "" {
				in.Headers = []*extmcp.McpHeader{header("x-request-id", tc.header)}
			}
			_, err := r.mcp.CheckRequest(within(t), in)
			require.NoError(t, err)
			require.Equal(t, tc.want, x.ID)
		})
	}
}

func TestAbsentAndEmptyParamsDiffer(t *testing.T) {
	r, x := seen(t, Options{})
	for name, tc := range map[string]struct {
		body []byte
		has  bool
	}{
		"absent": {nil, false}, "empty": {[]byte{}, true}, "present": {[]byte("{}"), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.mcp.CheckRequest(within(t), &extmcp.McpRequest{Method: "tools/call", McpRequest: tc.body})
			require.NoError(t, err)
			require.Equal(t, tc.has, x.HasBody)
			require.Len(t, x.Body, len(tc.body))
		})
	}
	_, err := r.mcp.CheckResponse(within(t), &extmcp.McpResponse{Method: "tools/call"})
	require.NoError(t, err)
	require.True(t, x.HasBody, "a result cannot be absent")
}

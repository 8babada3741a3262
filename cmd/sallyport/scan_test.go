package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A body in which something is called method or result is read whole, or what stands beside it would be allowed unread.
func TestWhatAFileHolds(t *testing.T) {
	for _, tc := range []struct {
		in, method, body string
		request          bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`, "prompts/get", `{"name":"x"}`, true},
		{`{"method":"tools/list"}`, "tools/list", "", true},
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "tools/call", `{"content":[]}`, false},
		{`{"method":"POST","url":"https://example.org"}`, "tools/call", `{"method":"POST","url":"https://example.org"}`, false},
		{`{"result":"ok","note":"x"}`, "tools/call", `{"result":"ok","note":"x"}`, false},
		{`{"method":1}`, "tools/call", `{"method":1}`, false},
		{`{"content":[]}`, "tools/call", `{"content":[]}`, false},
	} {
		x, request := scanOptions{method: "tools/call"}.exchange([]byte(tc.in))
		require.Equal(t, tc.request, request, tc.in)
		require.Equal(t, tc.method, x.Method, tc.in)
		require.Equal(t, tc.body, string(x.Body), tc.in)
		require.Equal(t, tc.body != "", x.HasBody, tc.in)
	}
}

// A batch is not the result of a call, whatever is in it.
func TestABatchIsReadMessageByMessage(t *testing.T) {
	batch := []byte(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}},{"jsonrpc":"2.0","method":"notifications/initialized"}]`)
	require.ErrorContains(t, scanOptions{}.batchFault(batch), "one by one")
	require.NoError(t, scanOptions{phase: "response"}.batchFault(batch))
	require.NoError(t, scanOptions{text: true}.batchFault(batch))
	for _, other := range []string{`[]`, `[1]`, `[{"type":"text"}]`, `[{"jsonrpc":"2.0"},{"type":"text"}]`, `{"jsonrpc":"2.0"}`, `[{"jsonrpc":"2.0"}`} {
		require.NoError(t, scanOptions{}.batchFault([]byte(other)), other)
	}
}

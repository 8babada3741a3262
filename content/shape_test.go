package content

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckShape(t *testing.T) {
	tests := []struct {
		method string
		side   Side
		body   string
		ok     bool
	}{
		{"tools/call", SideRequest, `{"name":"x","arguments":{}}`, true}, {"tools/call", SideRequest, `{"name":"x"}`, true}, {"tools/call", SideRequest, `{"arguments":{}}`, false},
		{"tools/call", SideRequest, `{"name":1}`, false}, {"tools/call", SideRequest, `{"name":"x","arguments":[]}`, false}, {"tools/call", SideRequest, `[]`, false},
		{"resources/read", SideRequest, `{"uri":"x"}`, true}, {"resources/read", SideRequest, `{}`, false},
		{"tools/call", SideResponse, `{"content":[{"type":"text","text":"x"}]}`, true}, {"tools/call", SideResponse, `{"content":[{"text":"x"}]}`, false},
		{"tools/call", SideResponse, `{"content":{}}`, false}, {"tools/call", SideResponse, `{"structuredContent":{}}`, true}, {"tools/call", SideResponse, `{"task":{}}`, true},
		{"tools/call", SideResponse, `{"content":["x"]}`, false}, {"tools/call", SideResponse, `{"content":[],"isError":false}`, true}, {"tools/call", SideResponse, `{"content":[],"isError":"no"}`, false},
		{"tools/list", SideResponse, `{"tools":[{"name":"x","inputSchema":{}}]}`, true}, {"tools/list", SideResponse, `{"tools":[]}`, true}, {"tools/list", SideResponse, `{}`, false},
		{"tools/list", SideResponse, `{"tools":[{"name":"x"}]}`, false}, {"tools/list", SideResponse, `{"tools":[{"name":"x","inputSchema":"[REDACTED:X]"}]}`, false},
		{"tools/list", SideResponse, `{"tools":[{"name":"x","inputSchema":{},"description":null}]}`, true},
		{"prompts/list", SideResponse, `{"prompts":[{"name":"x"}]}`, true}, {"prompts/get", SideResponse, `{"messages":[]}`, true},
		{"resources/list", SideResponse, `{"resources":[{"uri":"u","name":"n"}]}`, true}, {"resources/list", SideResponse, `{"resources":[{"name":"n"}]}`, false},
		{"resources/templates/list", SideResponse, `{"resourceTemplates":[{"uriTemplate":"u","name":"n"}]}`, true}, {"resources/read", SideResponse, `{"contents":[{"uri":"u","text":"t"}]}`, true},
		{"completion/complete", SideResponse, `{"completion":{"values":[]}}`, true}, {"initialize", SideResponse, `{"protocolVersion":"x"}`, true},
		{"tasks/get", SideResponse, `[1]`, true}, {"tasks/get", SideResponse, `[1`, false}, {"tools/call", SideResponse, `{"content":[]`, false}, {"tools/call", SideResponse, `{"content":[],"content":[]}`, false},
	}
	for _, tt := range tests {
		err := CheckShape(tt.method, tt.side, []byte(tt.body))
		require.Equal(t, tt.ok, err == nil, "%s %s: %v", tt.method, tt.body, err)
	}
}

func TestShapeErrorsSayWhere(t *testing.T) {
	for body, want := range map[string]ShapeError{
		`{"tools":[{"name":"a","inputSchema":{}},{"name":"b"}]}`: {"tools/list", "/tools/1/inputSchema", "is missing"},
		`{"tools":[{"name":1,"inputSchema":{}}]}`:                {"tools/list", "/tools/0/name", "has the wrong type"},
		`{"tools":[7]}`: {"tools/list", "/tools/0", "is not an object"},
		`[]`:            {"tools/list", "", "is not an object"},
	} {
		err := CheckShape("tools/list", SideResponse, []byte(body))
		require.Equal(t, &want, err, body)
		require.Equal(t, fmt.Sprintf("check shape of tools/list: %q %s", want.Path, want.Fault), err.Error())
	}
}

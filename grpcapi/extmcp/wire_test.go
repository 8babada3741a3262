package extmcp

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The facts of the wire, written down apart from the .proto: a gateway that was
// built against the contract must be understood whatever happens to ours.
func TestWireFacts(t *testing.T) {
	file := File_ext_mcp_proto
	require.EqualValues(t, "agentgateway.dev.ext_mcp", file.Package())
	require.Equal(t, "agentgateway.dev.ext_mcp.ExtMcp", ExtMcp_ServiceDesc.ServiceName)
	methods := file.Services().ByName("ExtMcp").Methods()
	require.Equal(t, 2, methods.Len())
	for name, io := range map[string][2]string{
		"CheckRequest": {"McpRequest", "McpRequestResult"}, "CheckResponse": {"McpResponse", "McpResponseResult"},
	} {
		m := methods.ByName(protoreflect.Name(name))
		require.EqualValues(t, io[0], m.Input().Name())
		require.EqualValues(t, io[1], m.Output().Name())
		require.False(t, m.IsStreamingClient() || m.IsStreamingServer())
	}
	type field struct {
		number   protoreflect.FieldNumber
		kind     protoreflect.Kind
		list     bool
		presence bool
	}
	const str, bytes, message = protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind
	for name, fields := range map[string]map[string]field{
		"McpHeader":      {"key": {1, str, false, false}, "value": {2, bytes, false, false}},
		"HeaderMutation": {"set": {1, message, true, false}, "remove": {2, str, true, false}},
		"McpRequest": {
			"service_names": {1, str, true, false}, "method": {2, str, false, false}, "metadata_context": {3, message, false, true},
			"mcp_request": {4, bytes, false, true}, "headers": {5, message, true, false},
		},
		"McpResponse": {
			"service_names": {1, str, true, false}, "method": {2, str, false, false}, "metadata_context": {3, message, false, true},
			"mcp_response": {4, bytes, false, false},
		},
		"McpRequestResult": {
			"pass": {1, message, false, true}, "mutated": {2, bytes, false, true}, "error": {3, message, false, true},
			"header_mutation": {4, message, false, true}, "metadata": {5, message, false, true},
		},
		"McpResponseResult": {
			"pass": {1, message, false, true}, "mutated": {2, bytes, false, true}, "error": {3, message, false, true},
		},
		"AuthorizationError": {
			"code": {1, protoreflect.EnumKind, false, false}, "reason": {2, str, false, false}, "mcp_error": {3, bytes, false, true},
		},
		"Pass": {},
	} {
		m := file.Messages().ByName(protoreflect.Name(name))
		require.NotNil(t, m, name)
		require.Equal(t, len(fields), m.Fields().Len(), name)
		for f, want := range fields {
			d := m.Fields().ByName(protoreflect.Name(f))
			require.NotNil(t, d, "%s.%s", name, f)
			require.Equal(t, want, field{d.Number(), d.Kind(), d.IsList(), d.HasPresence()}, "%s.%s", name, f)
		}
	}
	require.Equal(t, map[int32]string{0: "UNKNOWN", 1: "PERMISSION_DENIED", 2: "RESOURCE_EXHAUSTED", 3: "INVALID"}, AuthorizationError_Code_name)
}

// Bytes as a gateway writes them, by hand, with a field that this build does not
// know.
func TestReadsAGatewaysBytes(t *testing.T) {
	wire := []byte("\x0a\x03k8s\x12\x0atools/call\x22\x00\x2a\x07\x0a\x03x-a\x12\x00\xfa\x07\x04next")
	var m McpRequest
	require.NoError(t, proto.Unmarshal(wire, &m))
	require.Equal(t, []string{"k8s"}, m.GetServiceNames())
	require.Equal(t, "tools/call", m.GetMethod())
	require.NotNil(t, m.McpRequest, "present and empty")
	require.Empty(t, m.McpRequest)
	require.Equal(t, "x-a", m.GetHeaders()[0].GetKey())
	m.Reset()
	require.NoError(t, proto.Unmarshal(wire[:5], &m))
	require.Nil(t, m.McpRequest, "absent")
}

// The committed stubs name the plug-ins that the script pins.
func TestStubsComeFromThePinnedPlugins(t *testing.T) {
	script, err := os.ReadFile("generate.sh")
	require.NoError(t, err)
	for file, tool := range map[string]string{"ext_mcp.pb.go": "PROTOC_GEN_GO", "ext_mcp_grpc.pb.go": "PROTOC_GEN_GO_GRPC"} {
		pinned := regexp.MustCompile(`(?m)^` + tool + `=(v[0-9.]+)$`).FindSubmatch(script)
		require.NotNil(t, pinned, tool)
		stub, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Regexp(t, `protoc-gen-go(-grpc)? `+regexp.QuoteMeta(string(pinned[1]))+`\n`, string(stub))
	}
}

package grpcapi

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// pieces cuts data the way a transport delivers it.
func pieces(data []byte, size int) (out mem.BufferSlice) {
	for len(data) > size {
		out = append(out, mem.SliceBuffer(data[:size]))
		data = data[size:]
	}
	return append(out, mem.SliceBuffer(data))
}

// sample is a request with everything in it.
func sample(t testing.TB, body []byte) []byte {
	t.Helper()
	meta, err := structpb.NewStruct(map[string]any{"principal": "kim", "n": 1.5, "nested": map[string]any{"a": []any{"b", nil, true}}})
	require.NoError(t, err)
	data, err := proto.Marshal(&extmcp.McpRequest{
		ServiceNames: []string{"a", "b"}, Method: "tools/call", MetadataContext: meta, McpRequest: body,
		Headers: []*extmcp.McpHeader{{Key: "x", Value: []byte("\xff")}, {Key: "y"}},
	})
	require.NoError(t, err)
	return data
}

// bothWays decodes data with and without taking it apart.
func bothWays(t testing.TB, data []byte, size int) (usual, apart frame) {
	t.Helper()
	var a, b extmcp.McpRequest
	usual, apart = frame{msg: &a}, frame{msg: &b, body: &b.McpRequest}
	usual.err = proto.Unmarshal(data, &a)
	if !apart.takeApart(pieces(data, size)) {
		require.NoError(t, newCodec().Unmarshal(pieces(data, size), &apart))
	}
	return usual, apart
}

func requireSame(t testing.TB, usual, apart frame) {
	t.Helper()
	require.Equal(t, usual.err == nil, apart.err == nil, "%v and %v", usual.err, apart.err)
	if usual.err == nil {
		require.True(t, proto.Equal(usual.msg, apart.msg), "%v\n%v", usual.msg, apart.msg)
		u, a := usual.msg.(*extmcp.McpRequest), apart.msg.(*extmcp.McpRequest)
		require.Equal(t, u.McpRequest == nil, a.McpRequest == nil, "absent and empty differ")
	}
	require.Zero(t, apart.dropped)
}

// A message that is taken apart says what it says otherwise, wherever it is cut and
// however its fields are repeated.
func TestTakenApartIsTheSame(t *testing.T) {
	body := []byte(`{"name":"` + strings.Repeat("x", 500) + `"}`)
	whole := sample(t, body)
	field := func(num protowire.Number, value string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), value)
	}
	varint := protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), 7)
	for name, data := range map[string][]byte{
		"whole":                    whole,
		"no body":                  sample(t, nil),
		"empty body":               sample(t, []byte{}),
		"the last body counts":     bytes.Join([][]byte{whole, field(4, "{}")}, nil),
		"metadata is merged":       bytes.Join([][]byte{whole, sample(t, nil)}, nil),
		"a field of later times":   bytes.Join([][]byte{field(99, "x"), whole}, nil),
		"a body of another type":   bytes.Join([][]byte{whole, varint}, nil),
		"a name that is no UTF-8":  bytes.Join([][]byte{whole, field(2, "\xff")}, nil),
		"a length beyond the end":  append(bytes.Clone(whole), 0x22, 0x7f, 'x'),
		"a length beyond all ends": append(bytes.Clone(whole), 0x22, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
		"a tag that never ends":    append(bytes.Clone(whole), bytes.Repeat([]byte{0xff}, 11)...),
		"field zero":               append(bytes.Clone(whole), 0x02, 0x00),
		"a group":                  append(bytes.Clone(whole), 0x2b, 0x2c),
		"nothing":                  nil,
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 100, 1 << 20} {
				usual, apart := bothWays(t, data, size)
				requireSame(t, usual, apart)
			}
		})
	}
}

// So does a message in which anything was changed.
func TestTakenApartIsTheSameWhenBroken(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	whole := sample(t, []byte(`{"name":"x","arguments":{}}`))
	for range 5_000 {
		data := bytes.Clone(whole)
		for range 1 + rnd.IntN(3) {
			data[rnd.IntN(len(data))] = byte(rnd.Uint32())
		}
		usual, apart := bothWays(t, data[:rnd.IntN(len(data)+1)], 1+rnd.IntN(64))
		requireSame(t, usual, apart)
	}
}

// A payload over the limit is dropped and its size kept; one at the limit is not.
func TestTooLargePayloadIsDropped(t *testing.T) {
	const most = 100_000
	for size, dropped := range map[int]int{most: 0, most + 1: most + 1} {
		var in extmcp.McpResponse
		f := frame{msg: &in, body: &in.McpResponse, most: most}
		data, err := proto.Marshal(&extmcp.McpResponse{Method: "tools/call", McpResponse: make([]byte, size)})
		require.NoError(t, err)
		require.NoError(t, newCodec().Unmarshal(pieces(data, 16<<10), &f))
		require.NoError(t, f.err)
		require.Equal(t, "tools/call", in.GetMethod())
		require.Equal(t, dropped, f.dropped)
		require.Len(t, in.GetMcpResponse(), size-dropped)
	}
}

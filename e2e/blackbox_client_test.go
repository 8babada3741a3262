//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// The tests of the blackbox files speak the contract from its field numbers alone:
// no generated stub is between them and the bytes, so that a mistake in the stubs
// cannot hide itself.

// wireCall is one question, written down by field numbers.
type wireCall struct {
	response bool
	services []string
	method   string
	body     *string // nil: the field is not on the wire
	meta     map[string]any
	headers  [][2]string
}

// encode writes a McpRequest or McpResponse.
func (c wireCall) encode() []byte {
	var b []byte
	for _, s := range c.services {
		b = protowire.AppendTag(b, 1, protowire.BytesType)
		b = protowire.AppendString(b, s)
	}
	if c.method != "" {
		b = protowire.AppendTag(b, 2, protowire.BytesType)
		b = protowire.AppendString(b, c.method)
	}
	if c.meta != nil {
		b = protowire.AppendTag(b, 3, protowire.BytesType)
		b = protowire.AppendBytes(b, encodeStruct(c.meta))
	}
	if c.body != nil {
		b = protowire.AppendTag(b, 4, protowire.BytesType)
		b = protowire.AppendString(b, *c.body)
	}
	for _, h := range c.headers {
		var m []byte
		m = protowire.AppendTag(m, 1, protowire.BytesType)
		m = protowire.AppendString(m, h[0])
		m = protowire.AppendTag(m, 2, protowire.BytesType)
		m = protowire.AppendString(m, h[1])
		b = protowire.AppendTag(b, 5, protowire.BytesType)
		b = protowire.AppendBytes(b, m)
	}
	return b
}

// encodeStruct writes a google.protobuf.Struct.
func encodeStruct(fields map[string]any) []byte {
	var b []byte
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		var entry []byte
		entry = protowire.AppendTag(entry, 1, protowire.BytesType)
		entry = protowire.AppendString(entry, k)
		entry = protowire.AppendTag(entry, 2, protowire.BytesType)
		entry = protowire.AppendBytes(entry, encodeValue(fields[k]))
		b = protowire.AppendTag(b, 1, protowire.BytesType)
		b = protowire.AppendBytes(b, entry)
	}
	return b
}

// encodeValue writes a google.protobuf.Value.
func encodeValue(v any) []byte {
	switch v := v.(type) {
	case nil:
		return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 0)
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(nil, 2, protowire.Fixed64Type), math.Float64bits(v))
	case string:
		return protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), v)
	case bool:
		return protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), protowire.EncodeBool(v))
	case map[string]any:
		return protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), encodeStruct(v))
	}
	panic(fmt.Sprintf("no value of kind %T", v))
}

// wireReply is an answer, read by field numbers.
type wireReply struct {
	verdict  string // pass, mutated, or the name of a code
	mutated  string
	reason   string
	data     map[string]any // mcp_error
	rawData  string
	metadata map[string]any
	raw      string // every byte of it
}

var wireCodes = []string{"UNKNOWN", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "INVALID"}

// decodeReply reads a McpRequestResult or McpResponseResult and fails on whatever
// the contract does not have.
func decodeReply(b []byte, response bool) (r wireReply, err error) {
	r.raw = string(b)
	results := 0
	err = eachField(b, func(num protowire.Number, v []byte, _ uint64) error {
		switch {
		case num == 1:
			results++
			r.verdict = "pass"
			if len(v) > 0 {
				return errors.New("a pass that holds something")
			}
		case num == 2:
			results++
			r.verdict, r.mutated = "mutated", string(v)
		case num == 3:
			results++
			return r.decodeError(v)
		case num == 5 && !response:
			r.metadata, err = decodeStruct(v)
			return err
		default:
			return fmt.Errorf("unexpected field %d", num)
		}
		return nil
	})
	if err == nil && results != 1 {
		err = fmt.Errorf("%d results", results)
	}
	return r, err
}

func (r *wireReply) decodeError(b []byte) error {
	r.verdict = wireCodes[0]
	err := eachField(b, func(num protowire.Number, v []byte, n uint64) error {
		switch {
		case num == 1 && n < uint64(len(wireCodes)):
			r.verdict = wireCodes[n]
		case num == 2:
			r.reason = string(v)
		case num == 3:
			r.rawData = string(v)
			return json.Unmarshal(v, &r.data)
		default:
			return fmt.Errorf("unexpected field %d of an error", num)
		}
		return nil
	})
	return err
}

func eachField(b []byte, visit func(num protowire.Number, v []byte, n uint64) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var v []byte
		var x uint64
		switch typ {
		case protowire.BytesType:
			v, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			x, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			x, n = protowire.ConsumeFixed64(b)
		default:
			return fmt.Errorf("unexpected wire type %d", typ)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := visit(num, v, x); err != nil {
			return err
		}
	}
	return nil
}

func decodeStruct(b []byte) (map[string]any, error) {
	out := map[string]any{}
	return out, eachField(b, func(_ protowire.Number, entry []byte, _ uint64) error {
		var key string
		var value any
		err := eachField(entry, func(num protowire.Number, v []byte, _ uint64) error {
			if num == 1 {
				key = string(v)
				return nil
			}
			return eachField(v, func(kind protowire.Number, v []byte, n uint64) (err error) {
				switch kind {
				case 2:
					value = math.Float64frombits(n)
				case 3:
					value = string(v)
				case 5:
					value, err = decodeStruct(v)
				default:
					err = fmt.Errorf("unexpected kind %d of a value", kind)
				}
				return err
			})
		})
		out[key] = value
		return err
	})
}

// bytesCodec hands messages through as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// send makes one call over the wire; a gRPC error is handed back.
func (c wireCall) send(ctx context.Context, conn *grpc.ClientConn) (wireReply, error) {
	in, out := c.encode(), []byte(nil)
	path := "/agentgateway.dev.ext_mcp.ExtMcp/CheckRequest"
	if c.response {
		path = "/agentgateway.dev.ext_mcp.ExtMcp/CheckResponse"
	}
	if err := conn.Invoke(ctx, path, &in, &out, grpc.ForceCodecV2(bytesCodec{})); err != nil {
		return wireReply{}, err
	}
	return decodeReply(out, c.response)
}

// wire makes one call and insists on a well-formed reply.
func (s *sidecar) wire(c wireCall) wireReply {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := c.send(ctx, s.conn)
	require.NoError(s.t, err)
	return r
}

// toolCall is a tools/call of one service.
func toolCall(body string) wireCall {
	return wireCall{services: []string{"svc"}, method: "tools/call", body: &body}
}

// toolResult is the result of one.
func toolResult(body string) wireCall {
	c := toolCall(body)
	c.response = true
	return c
}

// with is c with metadata.
func (c wireCall) with(key string, value any) wireCall {
	c.meta = maps.Clone(c.meta)
	if c.meta == nil {
		c.meta = map[string]any{}
	}
	c.meta[key] = value
	return c
}

// wireSentences are all the sentences a caller can be told, by code.
var wireSentences = map[string][]string{
	"UNKNOWN":            {"guardrail is not available", "guardrail could not decide"},
	"PERMISSION_DENIED":  {"blocked by policy", "held for human review"},
	"RESOURCE_EXHAUSTED": {"rate limit exceeded", "guardrail is over capacity"},
	"INVALID":            {"malformed MCP message"},
}

// wireCategories are all the categories of interface.md.
var wireCategories = strings.Fields("tool_policy tool_flow prompt_injection hidden_text secret personal_data exfiltration rate size malformed unavailable policy")

// checkShape checks everything about a reply that holds for every reply of its
// kind, whatever caused it.
func checkShape(t *testing.T, c wireCall, r wireReply) {
	t.Helper()
	phase := phaseName(c.response)
	switch r.verdict {
	case "pass", "mutated":
		if c.response {
			require.Nil(t, r.metadata)
			return
		}
		require.Equal(t, []string{"call", "guardrail"}, keys(r.metadata))
		token, _ := r.metadata["call"].(string)
		require.NotEmpty(t, token)
		require.Less(t, len(token), 300)
		g, _ := r.metadata["guardrail"].(map[string]any)
		require.Equal(t, []string{"outcome", "ref", "score"}, keys(g))
		require.Contains(t, []string{"allow", "mutated", "review"}, g["outcome"])
		require.Len(t, g["ref"], 16)
		require.IsType(t, 0.0, g["score"])
	default:
		require.Nil(t, r.metadata, "metadata of a refusal")
		want := []string{"category", "phase", "ref"}
		if r.verdict == "RESOURCE_EXHAUSTED" {
			want = append(want, "retry_after_ms")
			ms, _ := r.data["retry_after_ms"].(float64)
			require.Positive(t, ms)
			require.Equal(t, math.Trunc(ms), ms)
		}
		require.Equal(t, want, keys(r.data), r.rawData)
		require.Equal(t, phase, r.data["phase"])
		require.Contains(t, wireCategories, r.data["category"])
		ref, _ := r.data["ref"].(string)
		require.Len(t, ref, 16, "80 bits")
		sentence, ok := strings.CutSuffix(r.reason, " (ref "+ref+")")
		require.True(t, ok, r.reason)
		require.Contains(t, wireSentences[r.verdict], sentence)
	}
}

package grpcapi

import (
	"encoding/binary"
	"io"

	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registers the codec that is wrapped
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// frame receives a message of which it is not yet known whether it can be read.
type frame struct {
	msg  proto.Message
	body *[]byte // the member of msg that holds the payload, field bodyField
	most int     // a larger payload is dropped; 0 keeps every one
	// dropped is the size of a payload that was, in bytes.
	dropped int
	err     error
}

// bodyField is the number of the payload in both messages of the contract.
const bodyField = 4

// largeMessage is the size from which a message is taken apart before it is decoded,
// in bytes. The usual way puts a message together and then copies the payload out of
// it: with what was received that is three times its size, and a gateway can have a
// hundred of them under way at once.
const largeMessage = 32 << 10

// codec is the usual one, but for frames it keeps a decoding error instead of
// returning it: grpc-go answers a message that does not decode with a gRPC error
// before any handler runs, and that is a pass for a gateway that fails open.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	if data.Len() < largeMessage || !f.takeApart(data) {
		f.err = c.CodecV2.Unmarshal(data, f.msg)
	}
	return nil
}

// takeApart decodes a message with its payload copied once, or dropped when it is
// too large. It reports false, with nothing done, for a message that is not as plain
// as a gateway's; the usual way then decides what that is worth.
func (f *frame) takeApart(data mem.BufferSlice) bool {
	r := data.Reader()
	defer r.Close() //nolint:errcheck // it only gives its references back
	var rest, body []byte
	dropped, seen := 0, false
	for r.Remaining() > 0 {
		tag, err := binary.ReadUvarint(r)
		if err != nil {
			return false
		}
		num, typ := protowire.DecodeTag(tag)
		if !num.IsValid() || typ != protowire.BytesType {
			return false // every field of ours has this type
		}
		size, err := binary.ReadUvarint(r)
		if err != nil || size > uint64(r.Remaining()) {
			return false
		}
		n := int(size)
		switch {
		case num != bodyField:
			rest = protowire.AppendVarint(protowire.AppendTag(rest, num, typ), size)
			at := len(rest)
			rest = append(rest, make([]byte, n)...)
			if _, err := io.ReadFull(r, rest[at:]); err != nil {
				return false
			}
		case f.most > 0 && n > f.most:
			body, dropped, seen = []byte{}, n, true
			if _, err := r.Discard(n); err != nil {
				return false
			}
		default:
			body, dropped, seen = make([]byte, n), 0, true
			if _, err := io.ReadFull(r, body); err != nil {
				return false
			}
		}
	}
	if f.err = proto.Unmarshal(rest, f.msg); f.err == nil && seen {
		*f.body, f.dropped = body, dropped
	}
	return true
}

package grpcapi

import (
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registers the codec that is wrapped
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// frame receives a message of which it is not yet known whether it can be read.
type frame struct {
	msg proto.Message
	err error
}

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
	f.err = c.CodecV2.Unmarshal(data, f.msg)
	return nil
}

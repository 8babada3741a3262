package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// serviceDesc is the generated description of ExtMcp with handlers of our own,
// which see a message even when it does not decode.
func serviceDesc() *grpc.ServiceDesc {
	d := extmcp.ExtMcp_ServiceDesc
	d.HandlerType = (*any)(nil)
	d.Methods = []grpc.MethodDesc{
		{MethodName: "CheckRequest", Handler: handleRequest},
		{MethodName: "CheckResponse", Handler: handleResponse},
	}
	return &d
}

func handleRequest(srv any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	s, in := srv.(*Server), new(extmcp.McpRequest)
	uncompressed(ctx)
	refused, err := s.receive(decision.Request, in, dec)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return requestReply(&decision.Exchange{Phase: decision.Request}, *refused), nil
	}
	return s.request(ctx, in), nil
}

func handleResponse(srv any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	s, in := srv.(*Server), new(extmcp.McpResponse)
	uncompressed(ctx)
	refused, err := s.receive(decision.Response, in, dec)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return responseReply(&decision.Exchange{Phase: decision.Response}, *refused), nil
	}
	return s.response(ctx, in), nil
}

// uncompressed keeps the reply from being compressed where some dependency has
// registered a compressor and the client used it: a gateway cannot read that.
func uncompressed(ctx context.Context) {
	// The one error is a context that is not a call's.
	_ = grpc.SetSendCompressor(ctx, encoding.Identity)
}

// receive reads the message of a call into in. A message that does not decode is
// a refusal; a message that the transport did not let through is an error, because
// grpc-go has already answered it.
func (s *Server) receive(phase decision.Phase, in proto.Message, dec func(any) error) (*decision.Verdict, error) {
	f := frame{msg: in}
	if err := dec(&f); err != nil {
		if status.Code(err) == codes.ResourceExhausted {
			s.opts.Observer.Oversize(phase)
			s.opts.Logger.Warn("message over the receive limit", zap.Stringer("phase", phase), zap.Int("limit_bytes", s.opts.MaxRecvBytes))
		}
		return nil, err
	}
	if f.err == nil {
		return nil, nil
	}
	s.opts.Observer.Undecodable(phase)
	v := refusal(decision.Invalid, decision.CodeInvalid, decision.MalformedBody, decision.ReasonInvalid, "")
	return &v, nil
}

func (s *Server) request(ctx context.Context, in *extmcp.McpRequest) (out *extmcp.McpRequestResult) {
	x := &decision.Exchange{Phase: decision.Request}
	defer func() {
		if r := recover(); r != nil {
			out = requestReply(x, s.panicked(decision.Request, r))
		}
	}()
	x = s.mapper.request(in)
	return requestReply(x, s.decide(ctx, x, s.checker.CheckRequest))
}

func (s *Server) response(ctx context.Context, in *extmcp.McpResponse) (out *extmcp.McpResponseResult) {
	x := &decision.Exchange{Phase: decision.Response}
	defer func() {
		if r := recover(); r != nil {
			out = responseReply(x, s.panicked(decision.Response, r))
		}
	}()
	x = s.mapper.response(in)
	return responseReply(x, s.decide(ctx, x, s.checker.CheckResponse))
}

// decide asks the checker and answers in time whatever it does: it runs on a
// goroutine of its own, which is left behind when it is overdue.
func (s *Server) decide(ctx context.Context, x *decision.Exchange, check func(context.Context, *decision.Exchange) decision.Verdict) decision.Verdict {
	if onProbeConn(ctx) {
		s.opts.Observer.Shed(x.Phase)
		return refusal(decision.Shed, decision.CodeResourceExhausted, decision.Rate, decision.ReasonShed, "")
	}
	s.inflight.Add(1)
	defer s.inflight.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.timeout.Load()))
	defer cancel()

	answer := make(chan decision.Verdict, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				answer <- s.panicked(x.Phase, r)
			}
		}()
		answer <- check(ctx, x)
	}()
	select {
	case v := <-answer:
		return v
	case <-ctx.Done():
	}
	// The checker has its own word on what an ended context means.
	late := time.NewTimer(overdueGrace)
	defer late.Stop()
	select {
	case v := <-answer:
		return v
	case <-late.C:
	}
	s.opts.Observer.Overdue(x.Phase)
	v := unavailable("")
	s.opts.Logger.Error("checker overdue, call denied", zap.Stringer("phase", x.Phase), zap.String("ref", v.Ref), zap.Error(context.Cause(ctx)))
	return v
}

// panicked turns a panic into the denial of the call it happened in.
func (s *Server) panicked(phase decision.Phase, reason any) decision.Verdict {
	s.opts.Observer.Panicked(phase)
	v := unavailable("")
	s.opts.Logger.Error("call panicked, denied", zap.Stringer("phase", phase), zap.String("ref", v.Ref),
		zap.String("panic", panicText(reason)), zap.ByteString("stack", debug.Stack()))
	return v
}

// panicText describes a panic without repeating what it says, which may quote a
// payload. The runtime's own messages do not.
func panicText(reason any) string {
	if err, ok := reason.(error); ok {
		if e, ok := errors.AsType[runtime.Error](err); ok {
			return e.Error()
		}
	}
	return fmt.Sprintf("%T", reason)
}

// onProbeConn reports whether a call came over a connection beyond MaxConns.
func onProbeConn(ctx context.Context) bool {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return false
	}
	a, ok := p.Addr.(connAddr)
	return ok && a.probe
}

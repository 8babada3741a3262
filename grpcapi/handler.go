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

//nolint:revive // the order is that of grpc.MethodHandler
func handleRequest(srv any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (out any, err error) {
	s, in := srv.(*Server), new(extmcp.McpRequest)
	defer s.guard(decision.Request, func(v decision.Verdict) { out, err = requestReply(new(decision.Exchange), v), nil })
	uncompressed(ctx)
	f := frame{msg: in, body: &in.McpRequest, most: s.opts.MaxPayloadBytes}
	refused, err := s.receive(decision.Request, &f, dec)
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return requestReply(new(decision.Exchange), *refused), nil
	}
	return s.request(ctx, in, f.dropped), nil
}

//nolint:revive // the order is that of grpc.MethodHandler
func handleResponse(srv any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (out any, err error) {
	s, in := srv.(*Server), new(extmcp.McpResponse)
	empty := &decision.Exchange{Phase: decision.Response}
	defer s.guard(decision.Response, func(v decision.Verdict) { out, err = responseReply(empty, v), nil })
	uncompressed(ctx)
	f := frame{msg: in, body: &in.McpResponse, most: s.opts.MaxPayloadBytes}
	refused, err := s.receive(decision.Response, &f, dec)
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return responseReply(empty, *refused), nil
	}
	return s.response(ctx, in, f.dropped), nil
}

func (s *Server) request(ctx context.Context, in *extmcp.McpRequest, dropped int) *extmcp.McpRequestResult {
	x := s.mapper.request(in)
	x.Dropped = dropped
	return requestReply(x, s.decide(ctx, x))
}

func (s *Server) response(ctx context.Context, in *extmcp.McpResponse, dropped int) *extmcp.McpResponseResult {
	x := s.mapper.response(in)
	x.Dropped = dropped
	return responseReply(x, s.decide(ctx, x))
}

// guard, deferred, turns a panic into a denial that answer is given.
func (s *Server) guard(phase decision.Phase, answer func(decision.Verdict)) {
	if r := recover(); r != nil {
		answer(s.panicked(phase, r))
	}
}

// uncompressed keeps the reply from being compressed where some dependency has
// registered a compressor and the client used it: a gateway cannot read that.
func uncompressed(ctx context.Context) {
	// The one error is a context that is not a call's.
	_ = grpc.SetSendCompressor(ctx, encoding.Identity)
}

// receive reads the message of a call into f. A message that does not decode is
// a refusal; a message that the transport did not let through is an error, because
// grpc-go has already answered it.
func (s *Server) receive(phase decision.Phase, f *frame, dec func(any) error) (*decision.Verdict, error) {
	if err := dec(f); err != nil {
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
	s.opts.Observer.Refused(phase, v)
	return &v, nil
}

// decide asks the checker and answers in time whatever it does: it runs on a
// goroutine of its own, which is left behind when it is overdue. What the checker has
// no room for costs no goroutine.
func (s *Server) decide(ctx context.Context, x *decision.Exchange) decision.Verdict {
	if onProbeConn(ctx) {
		s.opts.Observer.Shed(x.Phase)
		v := refusal(decision.Shed, decision.CodeResourceExhausted, decision.Rate, decision.ReasonShed, "")
		s.opts.Observer.Refused(x.Phase, v)
		return v
	}
	s.inflight.Add(1)
	defer s.inflight.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.timeout.Load()))
	defer cancel()
	check, v := s.admit(ctx, x)
	if check == nil {
		return v
	}

	answer := make(chan decision.Verdict, 1)
	go func() {
		defer s.guard(x.Phase, func(v decision.Verdict) { answer <- v })
		answer <- check(ctx)
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
	v = unavailable("")
	if errors.Is(ctx.Err(), context.Canceled) {
		return v // the caller is gone; nobody reads this and nothing is wrong
	}
	s.opts.Observer.Overdue(x.Phase)
	s.opts.Observer.Refused(x.Phase, v)
	s.opts.Logger.Error("checker overdue, call denied", zap.Stringer("phase", x.Phase), zap.String("ref", v.Ref), zap.Error(context.Cause(ctx)))
	return v
}

// admit returns what decides x, or nil and the refusal where there is no room.
func (s *Server) admit(ctx context.Context, x *decision.Exchange) (check func(context.Context) decision.Verdict, refused decision.Verdict) {
	if s.door != nil {
		return s.door.Admit(ctx, x, x.Phase)
	}
	if x.Phase == decision.Response {
		return func(ctx context.Context) decision.Verdict { return s.checker.CheckResponse(ctx, x) }, refused
	}
	return func(ctx context.Context) decision.Verdict { return s.checker.CheckRequest(ctx, x) }, refused
}

// panicked turns a panic into the denial of the call it happened in.
func (s *Server) panicked(phase decision.Phase, reason any) decision.Verdict {
	s.opts.Observer.Panicked(phase)
	v := unavailable("")
	s.opts.Observer.Refused(phase, v)
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

package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
)

// Server serves ExtMcp and grpc.health.v1. Make one with [New]; use it once:
// Listen and Serve, then Drain or Stop.
type Server struct {
	opts    Options
	checker Checker
	door    Door // nil: the checker has none
	mapper  mapper
	health  *health
	grpc    *grpc.Server
	tls     *reloader // nil: plain text

	handshakes, strangers, accepts seldom // failed ones, in the log

	timeout  atomic.Int64 // nanoseconds
	inflight atomic.Int64 // calls that the checker is deciding

	draining  chan struct{} // closed when the drain begins
	drainOnce sync.Once
	graceful  chan struct{} // closed when the graceful stop is through

	// mu guards what the caller of Serve and the caller of Stop share.
	mu      sync.Mutex
	lis     *listener
	held    bool // the listener was inherited, see hold
	stopped bool
}

// New makes a server that is not listening yet. It reads the TLS files; nothing
// else can fail.
func New(checker Checker, o Options) (*Server, error) {
	o = o.withDefaults()
	s := &Server{
		opts: o, checker: checker, mapper: newMapper(o.KeepHeaders), health: newHealth(),
		draining: make(chan struct{}), graceful: make(chan struct{}),
	}
	s.door, _ = checker.(Door)
	s.SetTimeout(o.Timeout)
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(newCodec()),
		grpc.MaxRecvMsgSize(o.MaxRecvBytes),
		grpc.MaxConcurrentStreams(uint32(o.MaxStreams)),
		grpc.InitialWindowSize(windowBytes),
		grpc.InitialConnWindowSize(windowBytes),
		grpc.MaxHeaderListSize(maxHeaderBytes),
		grpc.ConnectionTimeout(handshakeTime),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleTime, Time: pingEvery, Timeout: pingTimeout}),
		grpc.StreamInterceptor(s.untilDrain),
	}
	if o.TLS.Enabled() {
		t, err := newReloader(o.TLS)
		if err != nil {
			return nil, err
		}
		s.tls = t
		o.Observer.Certificate(t.leaf().NotAfter)
		options = append(options, grpc.Creds(watched{credentials.NewTLS(t.config()), s.handshakeFailed}))
	}
	s.grpc = grpc.NewServer(append(options, o.ServerOptions...)...)
	s.grpc.RegisterService(serviceDesc(), s)
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	if o.Reflection {
		reflection.Register(s.grpc)
	}
	return s, nil
}

// SetTimeout changes the deadline of calls that begin from now on. Not positive is
// ignored: a call without a deadline must not exist.
func (s *Server) SetTimeout(d time.Duration) {
	if d > 0 {
		s.timeout.Store(int64(d))
	}
}

// SetServing says what the readiness names answer. It is false until the first
// call, and false for good from the beginning of the drain.
func (s *Server) SetServing(serving bool) {
	s.health.set(func(h *health) { h.ready = serving })
}

// SetLive says what the liveness name answers; it is true until told otherwise.
func (s *Server) SetLive(live bool) {
	s.health.set(func(h *health) { h.live = live })
}

// Inflight returns the number of calls that are being decided.
func (s *Server) Inflight() int { return int(s.inflight.Load()) }

// Conns returns the number of open connections.
func (s *Server) Conns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lis == nil {
		return 0
	}
	return s.lis.count()
}

// Addr returns the address that is listened on, nil before Listen.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lis == nil {
		return nil
	}
	return s.lis.Addr()
}

// ReloadTLS reads the certificate files again. On an error the ones in force stay.
// New handshakes use the new files, open connections go on.
func (s *Server) ReloadTLS(files TLSFiles) error {
	err := s.reloadTLS(files)
	s.opts.Observer.TLSReloaded(err)
	return err
}

func (s *Server) reloadTLS(files TLSFiles) error {
	if s.tls == nil || !files.Enabled() {
		if s.tls == nil && !files.Enabled() {
			return nil
		}
		return errors.New("reload TLS: switching it on or off needs a restart")
	}
	if err := s.tls.load(files); err != nil {
		return err
	}
	s.opts.Observer.Certificate(s.tls.leaf().NotAfter)
	s.opts.Logger.Info("certificates in force", zap.Time("certificate_until", s.tls.leaf().NotAfter))
	return nil
}

// Listen binds the address, so that probes find an open port while the rest of the
// program is still starting. Serve does it too where it has not been done.
func (s *Server) Listen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lis != nil || s.stopped {
		return nil
	}
	l, err := s.bind()
	if err != nil {
		return err
	}
	s.lis = newListener(l, s.opts.MaxConns, probeConns, s.opts.Observer.ConnRefused)
	s.lis.stuck = s.acceptFailed
	log := s.opts.Logger.With(zap.String("addr", l.Addr().String()), zap.Bool("tls", s.tls != nil))
	switch {
	case s.tls == nil && !local(l.Addr()):
		log.Warn("listening in plain text beyond this host")
	case s.tls == nil:
		log.Info("listening")
	default:
		log.Info("listening", zap.Time("certificate_until", s.tls.leaf().NotAfter))
		if fault := lifeFault(s.tls.leaf(), time.Now()); fault != "" {
			log.Warn("clients will not accept the TLS certificate", zap.String("reason", fault))
		}
	}
	return nil
}

// Serve accepts calls until Drain or Stop, then returns nil. After an error the
// address is free again, and Serve may be called once more.
func (s *Server) Serve() error {
	if err := s.Listen(); err != nil {
		return err
	}
	s.mu.Lock()
	l, held := s.lis, s.held
	s.mu.Unlock()
	if l == nil {
		return nil // stopped
	}
	if held {
		s.hold(time.After(HoldTime))
	}
	err := s.grpc.Serve(l)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || s.stopped || errors.Is(err, grpc.ErrServerStopped) {
		return nil
	}
	s.lis = nil
	return fmt.Errorf("serve %s: %w", l.Addr(), err)
}

// Drain ends Watch streams with a last NOT_SERVING, closes the listener, tells
// clients to go elsewhere, and waits for the calls in flight. It returns nil when
// none was cut off. When ctx ends first, everything is stopped, a moment later where
// all that is left are replies on their way; it is an error only where a call was
// still being decided.
func (s *Server) Drain(ctx context.Context) error {
	s.drainOnce.Do(func() {
		s.health.set(func(h *health) { h.ended = true })
		close(s.draining)
		s.mu.Lock()
		l := s.lis
		s.mu.Unlock()
		go func() {
			defer close(s.graceful)
			if l != nil {
				l.pause(handshakeGrace)
			}
			s.grpc.GracefulStop()
		}()
	})
	shaking := time.NewTimer(handshakeGrace)
	defer shaking.Stop()
	for {
		select {
		case <-s.graceful:
			s.finish()
			return nil
		case <-shaking.C:
			s.closePending()
		case <-ctx.Done():
			cut := s.Inflight()
			if cut == 0 {
				s.send()
			}
			s.Stop()
			if cut == 0 {
				return nil
			}
			return fmt.Errorf("drain: %d calls cut off: %w", cut, context.Cause(ctx))
		}
	}
}

// send gives decided replies a moment to be written: a process that stood still at
// the end of its grace has only just made them. A client that does not read gets no
// more than that.
func (s *Server) send() {
	late := time.NewTimer(s.opts.sendTime)
	defer late.Stop()
	select {
	case <-s.graceful:
	case <-late.C:
	}
}

// Stop ends everything now. It may be called at any time and more than once.
func (s *Server) Stop() {
	s.health.set(func(h *health) { h.ended = true })
	s.finish()
	// grpc-go waits for handshakes before it closes anything.
	s.closePending()
	s.grpc.Stop()
}

func (s *Server) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.lis != nil {
		// Also where Serve was never called.
		_ = s.lis.Close()
	}
}

func (s *Server) closePending() {
	s.mu.Lock()
	l := s.lis
	s.mu.Unlock()
	if l != nil {
		l.closePending()
	}
}

// acceptFailed says now and then that connections wait in the kernel, most often
// because the process may open no more files.
func (s *Server) acceptFailed(err error) {
	if n := s.accepts.due(time.Now()); n > 0 {
		s.opts.Logger.Warn("connections cannot be accepted", zap.Error(err), zap.Int64("count", n))
	}
}

// untilDrain ends a stream that is not a call, such as reflection, when the drain
// begins: it would hold up the graceful stop. Its handler ends with its stream.
func (s *Server) untilDrain(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if info.FullMethod == grpc_health_v1.Health_Watch_FullMethodName {
		return handler(srv, stream) // ends by itself, with a last word
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			// On a goroutine of ours a panic of a library would end the process.
			if r := recover(); r != nil {
				s.opts.Logger.Error("stream panicked", zap.String("method", info.FullMethod), zap.String("panic", panicText(r)))
				done <- status.Error(codes.Internal, "stream failed")
			}
		}()
		done <- handler(srv, stream)
	}()
	select {
	case err := <-done:
		return err
	case <-s.draining:
		return status.Error(codes.Unavailable, "server is draining")
	}
}

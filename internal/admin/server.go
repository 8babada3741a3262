package admin

import (
	"context"
	"encoding/json/v2"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
)

// Limits of the listener. A probe is a few hundred bytes; everything beyond is somebody holding connections.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
	maxBodyBytes      = 4 << 10 // of a log level change
	maxScrapes        = 4       // of /metrics at once
	scrapeTimeout     = 10 * time.Second
)

// Part is one thing that readiness depends on.
type Part struct {
	Name   string    `json:"part"`
	Ready  bool      `json:"ready"`
	Since  time.Time `json:"since"`            // when Ready or Reason last changed
	Reason string    `json:"reason,omitempty"` // what is missing
}

// Readiness is the answer to /readyz.
type Readiness struct {
	Ready bool
	Parts []Part // shown in this order
}

// Sources are where the server's answers come from. Every function is called from many goroutines and must answer at once, in
// every state of the process: read a snapshot, never ask an actor.
type Sources struct {
	// Ready is required.
	Ready func() Readiness
	// Live reports whether the process can still make progress, else why not. Nil means always.
	Live func() (ok bool, reason string)
	// Metrics is what /metrics exposes. Nil leaves the path out.
	Metrics prometheus.Gatherer
	// Version is shown as JSON by /version. Required.
	Version any
	// Config returns the effective settings with every secret hidden already. Nil leaves the path out.
	Config func() any
	// Status returns whatever helps an operator to understand the process now. Nil leaves the path out.
	Status func() any
	// Level is the log level that /loglevel shows and sets. Nil leaves the path out.
	Level *zap.AtomicLevel
}

// Options configures Start.
type Options struct {
	// Addr is the address to listen on, host:port. Port 0 picks one.
	Addr string
	// PProf adds /debug/pprof/ when the listener is on loopback.
	PProf bool
	// Logger is told when the listener fails while it serves. Nil is silent.
	Logger *zap.Logger
}

// Server is a running admin listener. It owns its goroutines until Shutdown.
type Server struct {
	http   *http.Server
	addr   net.Addr
	served chan struct{}
}

// Start listens and serves at once. Its error names the address.
func Start(src Sources, opt Options) (*Server, error) {
	if src.Ready == nil || src.Version == nil {
		return nil, errors.New("start admin listener: sources Ready and Version are required")
	}
	if opt.Logger == nil {
		opt.Logger = zap.NewNop()
	}
	lis, err := net.Listen("tcp", opt.Addr)
	if err != nil {
		return nil, fmt.Errorf("start admin listener on %q: %w", opt.Addr, err)
	}
	s := &Server{addr: lis.Addr(), served: make(chan struct{})}
	s.http = &http.Server{
		Handler:           routes(src, onLoopback(lis.Addr()), opt.PProf),
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		// A peer that breaks off is no news for the operator.
		ErrorLog: zap.NewStdLog(zap.NewNop()),
	}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(lis); !errors.Is(err, http.ErrServerClosed) {
			opt.Logger.Error("admin listener failed", zap.Error(err))
		}
	}()
	return s, nil
}

// Addr returns the address that the server listens on, with the port that was picked.
func (s *Server) Addr() string { return s.addr.String() }

// Shutdown closes the listener and waits for answers in flight until ctx ends; then it cuts them off and returns the error of
// ctx. When it returns, no goroutine of the server accepts connections any more.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop admin listener: %w", err), s.http.Close())
	}
	<-s.served
	return err
}

func onLoopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// writeJSON answers with v on one line.
func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		http.Error(w, "cannot be shown as JSON", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // the client has gone: nothing to do
}

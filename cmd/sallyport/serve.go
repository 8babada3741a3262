package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi"
	"github.com/sallyport-mcp/sallyport/internal/admin"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/config"
	"github.com/sallyport-mcp/sallyport/internal/early"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/rules"
)

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the guardrail to a gateway (the default)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return failed(serve(cmd.Context(), config.Sources{Flags: cmd.Flags()}))
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}

// sidecar is one run of the serve command.
type sidecar struct {
	settings     atomic.Pointer[config.Settings] // in force; replaced by a reload
	reloads      *once                           // of settings, certificates and rules
	reopens      *once                           // of the audit file
	sources      config.Sources
	log          *zap.Logger
	level        zap.AtomicLevel
	engine       *sallyport.Engine
	server       *grpcapi.Server
	admin        *admin.Server
	tracing      *telemetry.Tracing
	certificates certificates
	watched      string // the pack whose changes are watched, "" for none
	unwatch      context.CancelFunc
	notify       *notifier
	giveUp       context.CancelCauseFunc // stops a sidecar that will never serve
}

// serve runs the sidecar until a signal has stopped it.
func serve(ctx context.Context, sources config.Sources) error {
	// Whoever reads our output may end before us, and that must not end us: a write
	// to a broken pipe is then an error, which AUDIT_FAILURE_MODE answers.
	signal.Ignore(syscall.SIGPIPE)
	// Signals count from the first moment: one that came before we did, or comes during
	// warm-up, ends the process at once.
	signals, stop := early.Signals()
	defer stop()

	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	s := &sidecar{sources: sources, level: zap.NewAtomicLevel(), giveUp: giveUp}
	s.reloads, s.reopens = newOnce(s.reload), newOnce(s.reopen)
	// Nobody who logs waits for whoever reads: not a call, and not the end.
	s.log = telemetry.NewLogger(telemetry.NewLogWriter(os.Stderr), s.level)
	defer s.log.Sync() //nolint:errcheck // what nobody reads is left behind
	missed, stopped, err := s.unlessStopped(signals, s.prepare)
	if stopped || err != nil {
		return err
	}
	later, stopped, err := s.startOrStop(ctx, signals)
	if stopped || err != nil {
		return err
	}
	defer s.notify.close()
	return s.wait(ctx, signals, append(missed, later...))
}

// prepare reads the settings and builds what they ask for.
func (s *sidecar) prepare() error {
	settings, err := config.Load(s.sources)
	if err != nil {
		return err
	}
	s.level.SetLevel(logLevel(settings.LogLevel))
	s.settings.Store(settings)
	s.log.Info(telemetry.MsgStarting, zap.String(telemetry.KeyVersion, build.Version()), zap.Int("pid", os.Getpid()),
		zap.Int("gomaxprocs", runtime.GOMAXPROCS(0)), zap.Int("cpus", runtime.NumCPU()))

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s.assemble(registry)
}

// unlessStopped waits for a part of the start that reads files, unless a stop signal
// comes first: a pipe that nobody writes to, or a file system that does not answer,
// would hold it up for ever. The part is then left to the end of the process. Other
// signals are handed back.
func (s *sidecar) unlessStopped(signals <-chan os.Signal, part func() error) (missed []os.Signal, stopped bool, err error) {
	done := make(chan error, 1)
	go func() { done <- part() }()
	defer s.sayWhenSlow()()
	for {
		select {
		case err := <-done:
			return missed, false, err
		case sig := <-signals:
			s.log.Info(telemetry.MsgSignal, zap.String(telemetry.KeySignal, sig.String()))
			if stops(sig) {
				return nil, true, nil
			}
			missed = append(missed, sig)
		}
	}
}

// sayWhenSlow writes to the log that a part of the start has not ended, unless it is done
// before: what it waits for may never come, and nothing else would tell.
func (s *sidecar) sayWhenSlow() (done func()) {
	late := time.AfterFunc(slow, func() { s.log.Warn(telemetry.MsgStartSlow, zap.Duration("waited", slow)) })
	return func() { late.Stop() }
}

// stops is whether a signal asks the process to end.
func stops(sig os.Signal) bool { return sig == syscall.SIGTERM || sig == syscall.SIGINT }

// startOrStop starts the engine, unless a stop signal comes first: that ends the
// process at once, without an error and without ever serving. Signals that ask for
// something else are handed back: what they point at may have changed since it was
// read.
func (s *sidecar) startOrStop(ctx context.Context, signals <-chan os.Signal) (missed []os.Signal, stopped bool, err error) {
	startCtx, abandon := context.WithCancel(ctx)
	defer abandon()
	started := make(chan error, 1)
	go func() { started <- s.start(startCtx) }()
	defer s.sayWhenSlow()()
	for {
		select {
		case err := <-started:
			switch {
			case !stopped:
				return missed, false, err
			case err != nil:
				return nil, true, nil // it was told to stop, and it has
			}
			return nil, true, s.engine.Shutdown(ctx)
		case sig := <-signals:
			s.log.Info(telemetry.MsgSignal, zap.String(telemetry.KeySignal, sig.String()))
			if stops(sig) {
				stopped = true
				abandon()
			} else if !slices.Contains(missed, sig) {
				missed = append(missed, sig)
			}
		}
	}
}

// assemble builds the parts without starting them, but for the admin listener,
// which answers from the first moment to the last.
func (s *sidecar) assemble(registry *prometheus.Registry) error {
	trail, err := openAudit(s.settings.Load())
	if err != nil {
		return err
	}
	telemetry.RouteSDK(s.log)
	if s.tracing, err = telemetry.OpenTracing(build.Version(), s.log); err != nil {
		return errors.Join(err, trail.Close())
	}
	cfg := engineConfig(s.settings.Load())
	if words := inBinary.models(s.settings.Load()).words; cfg.Model == nil {
		s.log.Warn("no classifier", zap.String("models", words))
	} else {
		s.log.Info("classifier", zap.String("models", words))
	}
	cfg.Audit, cfg.Logger, cfg.Registerer = trail, s.log, registry
	if s.tracing.Enabled() {
		cfg.Tracer = s.tracing.Tracer()
	}
	if s.engine, err = sallyport.New(cfg); err != nil {
		return errors.Join(err, trail.Close())
	}
	s.certificates.reading(tlsFiles(s.settings.Load()))
	s.server, err = grpcapi.New(s.engine, s.serverOptions())
	if err != nil {
		return errors.Join(err, trail.Close())
	}
	s.engine.Attach(s.server)
	s.admin, err = admin.Start(s.adminSources(registry), s.adminOptions())
	if err != nil {
		return errors.Join(err, trail.Close())
	}
	return nil
}

func (s *sidecar) serverOptions() grpcapi.Options {
	c := s.settings.Load()
	return grpcapi.Options{
		Addr:            c.ListenAddr,
		TLS:             tlsFiles(c),
		MaxRecvBytes:    int(c.GRPCMaxRecvBytes),
		MaxPayloadBytes: int(c.ScanMaxPayloadBytes),
		MaxStreams:      c.GRPCMaxStreams,
		MaxConns:        c.GRPCMaxConns,
		Reflection:      c.GRPCReflection,
		KeepHeaders:     append(append([]string{}, c.RuleHeaders...), c.AuditHeaders...),
		Logger:          s.log,
		Observer:        s.transportObserver(),
		ServerOptions:   s.tracing.ServerOptions(),
	}
}

// transportObserver counts what the server decides without the engine.
func (s *sidecar) transportObserver() grpcapi.Observer {
	refused := func(reason string) func(decision.Phase) {
		return func(decision.Phase) { s.engine.TransportRefused(reason) }
	}
	return grpcapi.Observer{
		Refused:         s.engine.ServerRefused,
		Oversize:        refused(telemetry.TransportOversize),
		Undecodable:     refused(telemetry.TransportUndecodable),
		Panicked:        refused(telemetry.TransportPanic),
		Overdue:         refused(telemetry.TransportOverdue),
		Shed:            refused(telemetry.TransportConns),
		ConnRefused:     func() { s.engine.TransportRefused(telemetry.TransportConns) },
		ClientRefused:   func() { s.engine.TransportRefused(telemetry.TransportClient) },
		HandshakeFailed: func() { s.engine.TransportRefused(telemetry.TransportHandshake) },
		Certificate:     s.engine.CertificateUntil,
		TLSReloaded:     s.engine.CertificatesReloaded,
	}
}

func tlsFiles(c *config.Settings) grpcapi.TLSFiles {
	return grpcapi.TLSFiles{Cert: c.TLSCertFile, Key: c.TLSKeyFile, ClientCA: c.TLSClientCAFile, AllowedSANs: c.TLSAllowedSANs}
}

// start brings the engine up. A rule pack that does not load or an address in use
// ends the process; a model that cannot be proved does not: the sidecar then
// reports NOT_SERVING with the reason and refuses every exchange. One that hangs ends
// the process after minutes, see hopeless: another may find that what it waits for answers.
func (s *sidecar) start(ctx context.Context) error {
	look := rules.Stamp(s.settings.Load().InvariantRulesPath)
	err := s.engine.Start(ctx,
		sallyport.Step{Name: "traces out", Run: s.tracing.Shutdown},
		sallyport.Step{Name: "admin", Run: s.admin.Shutdown},
	)
	if err != nil {
		quick, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		return errors.Join(err, s.tracing.Shutdown(quick), s.admin.Shutdown(quick))
	}
	s.notify = newNotifier(s.log)
	s.engine.Subscribe(func(c sallyport.PhaseChange) {
		s.notify.phase(c)
		s.server.SetServing(c.To.Ready())
		s.server.SetTimeout(s.engine.ExchangeTimeout() + transportSlack)
		if c.To.Ready() {
			s.log.Info(telemetry.MsgServing, zap.Duration("scanner_timeout", s.engine.ScannerTimeout()), zap.Duration("exchange_timeout", s.engine.ExchangeTimeout()))
			if c.From == sallyport.Warming {
				go debug.FreeOSMemory() // what loading the models took and nothing needs any more
			}
		}
	})
	go s.watchLiveness(context.WithoutCancel(ctx)) // until the process ends
	s.rewatch(look)
	if tlsFiles(s.settings.Load()).Enabled() {
		// Both until the process ends.
		go s.renew(context.WithoutCancel(ctx), time.NewTicker(certificateInterval).C)
	}
	s.log.Info(telemetry.MsgListening, zap.String("admin", s.admin.Addr()))
	return nil
}

// transportSlack is what the server's own last-resort deadline leaves the engine's.
const transportSlack = 500 * time.Millisecond

// liveInterval is how often liveness is looked at.
const liveInterval = time.Second

func (s *sidecar) watchLiveness(ctx context.Context) {
	tick := time.NewTicker(liveInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := hopeless(s.engine.Phase(), s.engine.ModelError()); err != nil {
				s.giveUp(err)
			}
			live := s.engine.Live()
			s.server.SetLive(live)
			if live {
				s.notify.alive(s.engine.Status())
			}
		}
	}
}

// hopeless is why a sidecar had better end than wait: its models hang while they are
// loaded for the first time. One that has served keeps those it has.
func hopeless(phase sallyport.LifecyclePhase, models error) error {
	if phase == sallyport.Warming && errors.Is(models, sallyport.ErrModelHangs) {
		return models
	}
	return nil
}

func logLevel(word string) zapcore.Level {
	var l zapcore.Level
	if l.UnmarshalText([]byte(word)) != nil {
		return zapcore.InfoLevel // the settings were checked; this cannot happen
	}
	return l
}

var _ grpcapi.Checker = (*sallyport.Engine)(nil)

package main

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/internal/config"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// wait serves until a stop signal has been carried out.
//
// The first SIGTERM or SIGINT begins the ordered shutdown, a second one skips its
// drain wait, a third one ends the process at once. So does a timer that is set at
// the first signal, whatever the actors do.
func (s *sidecar) wait(ctx context.Context, signals <-chan os.Signal) error {
	stops := 0
	done := make(chan error, 1)
	reloading := make(chan struct{}, 1)
	for {
		select {
		case err := <-done:
			s.log.Info(telemetry.MsgStopped, zap.Error(err))
			return err
		case <-ctx.Done():
			ctx = context.Background() // once
			stops++
			s.stop(done)
		case sig := <-signals:
			s.log.Info(telemetry.MsgSignal, zap.String(telemetry.KeySignal, sig.String()))
			switch sig {
			case syscall.SIGHUP:
				s.reloadSoon(reloading)
			case syscall.SIGUSR1:
				s.reopen()
			default:
				stops++
				switch stops {
				case 1:
					s.stop(done)
				case 2:
					s.engine.Hurry()
				default:
					s.engine.Force()
					return errors.New("stopped at once by a third signal")
				}
			}
		}
	}
}

// budget is the longest a shutdown may take before the process ends whatever
// happens: the sum of all budgets and a second.
func (s *sidecar) budget() time.Duration {
	c := s.settings.Load()
	return c.ShutdownDrain + c.ShutdownGrace + c.ShutdownCleanup + time.Second
}

// stop begins the ordered shutdown.
func (s *sidecar) stop(done chan<- error) {
	// The last resort acts on the process and not through any actor.
	time.AfterFunc(s.budget(), func() {
		s.engine.Force()
		s.log.Error("shutdown took longer than all its budgets")
		os.Exit(exitFailed)
	})
	go func() { done <- s.engine.Shutdown(context.Background()) }()
}

// reloadSoon reloads off the signal loop; signals that arrive meanwhile share the
// next run.
func (s *sidecar) reloadSoon(pending chan struct{}) {
	select {
	case pending <- struct{}{}:
	default:
		return // one is waiting already and will see the newest files
	}
	go func() {
		s.reloads.Lock()
		<-pending // from here on a signal asks for another run
		s.reloads.Unlock()
		s.reload()
	}()
}

// reload reads the settings again and puts in force what can be: each part
// succeeds or fails alone and says so.
func (s *sidecar) reload() {
	s.reloads.Lock()
	defer s.reloads.Unlock()
	defer s.notify.reloading()()
	fresh, err := config.Load(s.sources)
	if err == nil {
		err = s.adopt(fresh)
	}
	if err != nil {
		s.log.Error(telemetry.MsgReloadFailed, zap.String(telemetry.KeyPart, "settings"), zap.Error(err))
		s.engine.SettingsRefused(err)
	}
	// Whatever became of the settings, the files they name may have changed.
	c := s.settings.Load()
	if files := tlsFiles(c); files.Enabled() {
		if err := s.server.ReloadTLS(files); err != nil {
			s.log.Error(telemetry.MsgReloadFailed, zap.String(telemetry.KeyPart, "certificates"), zap.Error(err))
		} else {
			s.log.Info(telemetry.MsgReloaded, zap.String(telemetry.KeyPart, "certificates"))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
	defer cancel()
	// The engine logs, counts and audits what becomes of it.
	_ = s.engine.Reload(ctx, enginePolicy(c))
}

// reloadTimeout bounds one reload.
const reloadTimeout = time.Minute

// adopt takes the reloadable settings of fresh and says what changed and what
// needs a restart.
func (s *sidecar) adopt(fresh *config.Settings) error {
	old := s.settings.Load()
	merged, err := config.Reloaded(old, fresh)
	if err != nil {
		return err
	}
	changes := config.Diff(old, fresh)
	for _, c := range changes.Restart {
		s.log.Warn("setting changed but needs a restart", zap.String("setting", c.Name))
	}
	for _, c := range changes.Reloadable {
		s.log.Info("setting changed", zap.String("setting", c.Name), zap.String("from", c.Old), zap.String("to", c.New))
	}
	s.settings.Store(merged)
	s.rewatch()
	s.level.SetLevel(logLevel(merged.LogLevel))
	return nil
}

// reopen follows a rotated audit file.
func (s *sidecar) reopen() {
	ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
	defer cancel()
	if err := s.engine.ReopenAudit(ctx); err != nil {
		s.log.Error("audit file cannot be opened again", zap.Error(err))
	}
}

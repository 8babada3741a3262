package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/internal/config"
	"github.com/sallyport-mcp/sallyport/internal/early"
	"github.com/sallyport-mcp/sallyport/internal/plainfile"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/rules"
)

// wait serves until a stop signal has been carried out.
//
// The first SIGTERM or SIGINT begins the ordered shutdown, a second one skips its
// drain wait, a third one ends the process at once. So does a timer that is set at
// the first signal, whatever the actors do. The signals of missed came during the
// start and are carried out first.
func (s *sidecar) wait(ctx context.Context, signals <-chan os.Signal, missed []os.Signal) error {
	stops := 0
	done := make(chan error, 1)
	var fault error // why it ends without having been asked to
	for _, sig := range missed {
		s.asked(sig)
	}
	for {
		select {
		case err := <-done:
			err = errors.Join(fault, err)
			s.log.Info(telemetry.MsgStopped, zap.Error(err))
			return err
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, ctx.Err()) {
				fault = err
			}
			ctx = context.Background() // once
			stops++
			s.stop(done)
		case sig := <-signals:
			s.log.Info(telemetry.MsgSignal, zap.String(telemetry.KeySignal, sig.String()))
			switch sig {
			case syscall.SIGHUP, early.Reopen:
				s.asked(sig)
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
		_ = s.log.Sync()
		os.Exit(exitFailed)
	})
	go func() { done <- s.engine.Shutdown(context.Background()) }()
}

// asked carries out a signal that does not stop the process.
func (s *sidecar) asked(sig os.Signal) {
	switch sig {
	case syscall.SIGHUP:
		s.reloads.soon()
	case early.Reopen:
		s.reopens.soon()
	}
}

// once runs something off the signal loop, which must not wait for it; requests that
// arrive before it has begun share that run, and no two runs overlap.
type once struct {
	run     func()
	turn    sync.Mutex
	pending chan struct{}
}

func newOnce(run func()) *once { return &once{run: run, pending: make(chan struct{}, 1)} }

func (o *once) soon() {
	select {
	case o.pending <- struct{}{}:
	default:
		return // one is waiting already and will see the newest files
	}
	go func() {
		o.turn.Lock()
		defer o.turn.Unlock()
		<-o.pending // from here on a request asks for another run
		o.run()
	}()
}

// alone runs f while none of the runs does.
func (o *once) alone(f func()) {
	o.turn.Lock()
	defer o.turn.Unlock()
	f()
}

// reload reads the settings again and puts in force what can be: each part
// succeeds or fails alone and says so, and the last line sums up.
func (s *sidecar) reload() {
	defer s.notify.reloading()()
	// A file on a system that does not answer has no end of its own, and whoever sent the
	// signal would wait for a line that does not come.
	late := time.AfterFunc(slow, func() {
		s.log.Warn(telemetry.MsgReloadSlow, zap.Duration("waited", slow))
	})
	defer late.Stop()
	failed := []string{}
	sources := s.sources
	sources.ReadFile = plainfile.Read // at the start a pipe may be meant, and a stop ends the wait
	fresh, err := config.Load(sources)
	var changes config.Changes
	if err == nil {
		changes, err = s.adopt(fresh)
	}
	if err != nil {
		failed = append(failed, "settings")
		s.log.Error(telemetry.MsgReloadFailed, zap.String(telemetry.KeyPart, "settings"), zap.Error(err))
		s.engine.SettingsRefused(err)
	}
	// Whatever became of the settings, the files they name may have changed.
	c := s.settings.Load()
	if files := tlsFiles(c); files.Enabled() {
		if s.readCertificates(files) != nil {
			failed = append(failed, "certificates")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
	defer cancel()
	// The engine logs, counts and audits what becomes of it.
	if err := s.engine.Reload(ctx, enginePolicy(c)); err != nil {
		failed = append(failed, "policy")
	}
	s.log.Info(telemetry.MsgReloadDone, zap.Strings("changed", settingNames(changes.Reloadable)),
		zap.Strings("need_restart", settingNames(changes.Restart)), zap.Strings("failed", failed))
}

func settingNames(changes []config.Change) []string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Name
	}
	return names
}

// reloadTimeout bounds one reload of the policy, and slow is when a reload or a part of the
// start is worth a word before it has ended.
const (
	reloadTimeout = time.Minute
	slow          = 10 * time.Second
)

// adopt takes the reloadable settings of fresh and says what changed and what
// needs a restart.
func (s *sidecar) adopt(fresh *config.Settings) (config.Changes, error) {
	old := s.settings.Load()
	merged, err := config.Reloaded(old, fresh)
	if err != nil {
		return config.Changes{}, err
	}
	changes := config.Diff(old, fresh)
	for _, c := range changes.Restart {
		s.log.Warn("setting changed but needs a restart", zap.String("setting", c.Name))
	}
	for _, c := range changes.Reloadable {
		s.log.Info("setting changed", zap.String("setting", c.Name), zap.String("from", c.Old), zap.String("to", c.New))
	}
	s.settings.Store(merged)
	s.rewatch(rules.Stamp(merged.InvariantRulesPath))
	s.level.SetLevel(logLevel(merged.LogLevel))
	return changes, nil
}

// reopen follows a rotated audit file.
func (s *sidecar) reopen() {
	ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
	defer cancel()
	if err := s.engine.ReopenAudit(ctx); err != nil {
		s.log.Error("audit file cannot be opened again", zap.Error(err))
		return
	}
	s.log.Info(telemetry.MsgReopened)
}

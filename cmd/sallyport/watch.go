package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// rewatch watches the pack that the settings in force name, in place of the one
// watched before. The signal loop and reloads call it, one at a time.
func (s *sidecar) rewatch() {
	c := s.settings.Load()
	path := c.InvariantRulesPath
	if !c.RulesWatch || path == s.watched {
		return
	}
	if s.unwatch != nil {
		s.unwatch()
	}
	s.watched, s.unwatch = path, nil
	if path == "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.unwatch = cancel
	if err := watchRules(ctx, path, s.log, s.reloads.soon); err != nil {
		// A watch that cannot be had is no reason not to serve; SIGHUP still works.
		s.log.Error("rules are not watched", zap.Error(err))
		cancel()
	}
}

// settleTime is how long a watched directory must be quiet before it is read: an
// editor or a ConfigMap update makes several changes in a row.
const settleTime = 250 * time.Millisecond

// watchRules calls reload when the rule pack at path changes, until ctx ends.
//
// Directories are watched, not files: a Kubernetes ConfigMap is updated by
// replacing the symlink ..data beside the files, which a watch on the file's old
// target would never notice.
func watchRules(ctx context.Context, path string, log *zap.Logger, reload func()) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("RULES_WATCH: %w", err)
	}
	dir := path
	if !info.IsDir() {
		dir = filepath.Dir(path)
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("RULES_WATCH: %w", err)
	}
	if err := w.Add(dir); err != nil {
		_ = w.Close()
		return fmt.Errorf("RULES_WATCH: watch %q: %w", dir, err)
	}
	go func() {
		defer w.Close() //nolint:errcheck // nothing depends on it any more
		followChanges(ctx, w, log, reload)
	}()
	return nil
}

// followChanges reloads once after every burst of changes.
func followChanges(ctx context.Context, w *fsnotify.Watcher, log *zap.Logger, reload func()) {
	settled := time.NewTimer(settleTime)
	settled.Stop()
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Has(fsnotify.Chmod) && e.Op == fsnotify.Chmod {
				continue // access times and modes change nothing
			}
			settled.Reset(settleTime)
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			// An overflow means that changes were missed: read the pack to be sure.
			log.Warn("watching the rules", zap.Error(err))
			settled.Reset(settleTime)
		case <-settled.C:
			log.Info("rules changed on disk", zap.String(telemetry.KeyReason, "watch"))
			reload()
		}
	}
}

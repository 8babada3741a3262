package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/rules"
)

// watchInterval is how often a watched pack is looked at. A change is read once a
// second look finds it as the first did: an editor or an update makes several in a
// row.
const watchInterval = 500 * time.Millisecond

// rewatch watches the pack that the settings in force name, in place of the one
// watched before; first is its stamp from before it was loaded, so that a change in
// between counts. The signal loop and reloads call it, one at a time.
func (s *sidecar) rewatch(first string) {
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
	stamp := func() string { return rules.Stamp(path) }
	go func() {
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		follow(ctx, tick.C, first, stamp, func() {
			s.log.Info("rules changed on disk", zap.String(telemetry.KeyReason, "watch"))
			s.reloads.soon()
		})
	}()
}

// follow calls changed when the stamp is another than at first or than when it was
// called last, and the same for two ticks in a row. It ends with ctx.
//
// The pack is looked at and no notice of the system waited for: a notice is about one
// directory, and a pack can change in others, through links; and some file systems
// give none.
func follow(ctx context.Context, ticks <-chan time.Time, first string, stamp func() string, changed func()) {
	read, seen := first, first
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		now := stamp()
		settled := now == seen
		seen = now
		if settled && now != read {
			read = now
			changed()
		}
	}
}

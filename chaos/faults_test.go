//go:build chaos

package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

const (
	// longestPause is the time between two faults at most.
	longestPause = 250 * time.Millisecond
	// fewHarms is how often an actor of a role is hurt in a life that must recover:
	// under the restart limit, beyond which coming back takes a minute.
	fewHarms = 5
	// longestIllness bounds one illness of the disk.
	longestIllness = 2 * time.Second
	// floodCalls come at once.
	floodCalls = 200
)

// torment does one thing after the other until d has passed or a promise is
// broken.
func (l *life) torment(d time.Duration) {
	end := time.Now().Add(d)
	for time.Now().Before(end) && !l.w.broken() {
		l.fault()
		l.rest(time.Duration(l.rnd.Int64N(int64(longestPause))))
	}
}

// fault does one thing. All its choices come from the director's numbers, in
// order.
func (l *life) fault() {
	switch n := l.rnd.IntN(100); {
	case n < 45:
		l.hurtSomeone()
	case n < 55:
		l.setDisk(ailment(1+l.rnd.IntN(int(ailments)-1)), time.Duration(l.rnd.Int64N(int64(longestIllness))))
	case n < 68:
		l.askReload()
	case n < 76:
		l.w.note("disconnect")
		l.lines.disconnect()
	case n < 82:
		l.flood(l.rnd.Uint64())
	case n < 92:
		kind, d := l.rnd.IntN(len(nuisances)), time.Duration(l.rnd.Int64N(int64(time.Second)))
		l.load.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			l.lines.pester(ctx, kind, d)
		})
	default:
		l.load.Go(l.rotate)
	}
}

// hurtSomeone hurts one actor, if one of a few that are picked may be hurt.
func (l *life) hurtSomeone() {
	ids := victims(l.sys)
	for range 5 {
		if len(ids) == 0 {
			return
		}
		if id := ids[l.rnd.IntN(len(ids))]; l.mayHurt(role(id)) {
			l.hurt(id)
			return
		}
	}
}

// remembers tells whether a role takes the memory of flows with it.
func remembers(who string) bool { return who == "root" || strings.HasPrefix(who, "trace-") }

func (l *life) mayHurt(who string) bool {
	switch {
	case remembers(who) && !l.temper.forgetful:
		return false
	case who == "root":
		return l.temper.wild && l.rnd.IntN(4) == 0
	}
	return l.temper.wild || l.harmed[who] < fewHarms
}

func (l *life) hurt(id string) {
	who := role(id)
	if remembers(who) {
		// Before and after: what it may cost lies between.
		l.traceHurt.Store(time.Now().UnixNano())
		defer func() { l.traceHurt.Store(time.Now().UnixNano()) }()
	}
	l.harmed[who]++
	if who == "audit" || who == "root" {
		l.auditHurt = true
		l.auditAt.Store(time.Now().UnixNano())
		defer func() { l.auditAt.Store(time.Now().UnixNano()) }()
	}
	l.w.note("%v", hurt(l.sys, id, l.rnd))
	l.w.count("harm")
}

// flood makes many calls at once.
func (l *life) flood(seed uint64) {
	l.w.note("flood")
	kinds := l.kinds()
	l.load.Go(func() {
		var all sync.WaitGroup
		for n := range uint64(floodCalls) {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(seed, n))
				l.call(newExchange(kinds[rnd.IntN(len(kinds))], rnd), rnd)
			})
		}
		all.Wait()
	})
}

// askReload has the reloader load a good or a broken pack, unless it is busy.
func (l *life) askReload() {
	what := pick(l.rnd, "good", "broken")
	select {
	case l.reloads <- what:
	default:
	}
}

// reloader puts packs in place and loads them, one after the other.
func (l *life) reloader(seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, streamWorker))
	for {
		select {
		case <-l.unload:
			return
		case what := <-l.reloads:
			l.reload(rnd, what == "good")
		}
	}
}

func (l *life) reload(rnd *rand.Rand, good bool) {
	what := "good pack"
	var err error
	if good {
		err = l.packs.good(rnd)
	} else {
		what, err = l.packs.broken(rnd)
	}
	if err != nil {
		l.w.violate("write the pack: %v", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = l.engine.Reload(ctx, l.policy)
	down := errors.Is(err, guard.ErrDown) || errors.Is(err, guard.ErrStopped) || errors.Is(err, guard.ErrPanic)
	l.w.note("reload %s: %v", what, err != nil)
	switch {
	case ctx.Err() != nil:
		l.w.violate("reload of a %s did not return within %v", what, patience)
	case good && err != nil && !down && l.endBegan.Load() == 0:
		l.w.violate("reload of a good pack: %v", err)
	case !good && err == nil:
		l.w.violate("reload of a %s succeeded", what)
	default:
		l.w.count("reload of a " + map[bool]string{true: "good", false: "broken"}[good] + " pack")
	}
}

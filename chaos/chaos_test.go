//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// TestChaos runs one world a seed.
func TestChaos(t *testing.T) {
	s := fromEnvironment(t)
	for i := range uint64(s.seeds) {
		seed := s.seed + i
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			w := newWorld(t, seed, s.time)
			defer w.stop()
			ended := make(chan struct{})
			defer close(ended)
			go w.pulse(ended)
			for n := 1; !w.broken() && (n == 1 || time.Now().Before(w.end)); n++ {
				w.live(n)
			}
			w.report(s.time)
		})
	}
}

// The bounds of a life's torment.
const shortest, longest = 2 * time.Second, 14 * time.Second

// live lives one life from its start to what is left after its end.
func (w *world) live(number int) {
	before := goleak.IgnoreCurrent()
	l := w.conceive(number)
	w.note("life %d%v: drain %v, grace %v, clean-up %v", number, l.temper, l.cfg.Drain, l.cfg.Grace, l.cfg.Cleanup)
	w.count("lives")
	if l.rnd.IntN(6) == 0 {
		l.stillborn()
		l.leaks(before)
		return
	}
	if err := l.begin(); err != nil {
		w.violate("life %d does not begin: %v", number, err)
		return
	}
	if !l.temper.impatient {
		l.selfCheck()
	}
	l.startLoad()
	seed := l.rnd.Uint64()
	l.load.Go(func() { l.reloader(seed) })
	l.torment(shortest + time.Duration(l.rnd.Int64N(int64(longest-shortest))))
	if !l.temper.wild && l.rnd.IntN(3) == 0 && !w.broken() {
		l.recover()
	}
	l.finish()
	l.leaks(before)
	l.checkTrail()
}

// selfCheck asks one exchange of each kind of an engine that nobody has hurt yet:
// what is harmless must be passed there, and what is refused must be refused for
// what it is. Otherwise everything that follows would prove nothing. A machine that
// is busy with something else may make it wait for such an answer.
func (l *life) selfCheck() {
	rnd := rand.New(rand.NewPCG(l.w.seed, 0))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, kind := range slices.Sorted(maps.Keys(mix)) {
		if l.excluded(kind) || kind == hog {
			continue
		}
		for {
			x := newExchange(kind, rnd)
			ln, began := l.lines.take(), l.w.now()
			r, err := x.ask(ctx, ln)
			if err != nil {
				l.failed(x.kind, ln, began, err, x.transport)
				break
			}
			l.judge(x, r)
			if r.letThrough() == (x.want == harmless || x.want == cleaned) && !busy(r) || l.w.broken() {
				break
			}
			if ctx.Err() != nil || !busy(r) {
				l.w.violate("unhurt: %s was answered %+v", kind, r)
				break
			}
		}
	}
}

// busy reports whether an answer is a refusal for what the engine could not do.
func busy(r reply) bool {
	return r.err.GetCode() == extmcp.AuthorizationError_RESOURCE_EXHAUSTED || r.err != nil && r.err.GetCode() == extmcp.AuthorizationError_UNKNOWN
}

// recoveryTime is what an engine gets to serve again when nobody hurts it any
// more: the delays before actors come back add up to some seconds each, and a
// degraded engine takes five at least.
const recoveryTime = 60 * time.Second

// recover leaves the engine alone and waits until it serves.
func (l *life) recover() {
	l.w.note("leave it alone")
	l.alone.Store(true)
	l.reloads <- "good"
	ctx, cancel := context.WithTimeout(l.w.ctx, recoveryTime)
	defer cancel()
	began := time.Now()
	before := l.figures()
	if p := l.engine.AwaitServing(ctx); !p.Ready() && !l.w.broken() {
		for name, now := range l.figures() {
			if now != before[name] {
				l.w.note("%s: %v, before it was left alone %v", name, now, before[name])
			}
		}
		l.w.violate("left alone for %v it is %v: %+v", recoveryTime, p, l.engine.Status())
		return
	}
	l.w.note("serves after %v", time.Since(began).Round(time.Millisecond))
	l.w.count("recoveries")
}

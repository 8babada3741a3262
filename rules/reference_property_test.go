package rules

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var histories = flag.Int("rules.histories", 20_000, "random packs and histories to compare with the reference evaluator")

// TestAutomataAgreeWithReference plays random histories, with exchanges in flight, denials, lapses, reloads and late exchanges on
// old sets, against random packs, and compares every answer with the evaluator that keeps everything.
func TestAutomataAgreeWithReference(t *testing.T) {
	n := *histories
	if testing.Short() {
		n = 1_000
	}
	seed := uint64(time.Now().UnixNano())
	fired := map[Kind]int{}
	for i := range n {
		g := &game{rnd: rand.New(rand.NewPCG(seed, uint64(i)))}
		if msg := g.play(fired); msg != "" {
			t.Fatalf("seed %d, history %d:\n%s", seed, i, msg)
		}
	}
	// A comparison in which nothing happens proves nothing.
	for _, k := range []Kind{KindFlow, KindLoop, KindRate, KindBudget} {
		require.Greater(t, fired[k], n/20, "%s rules hardly fired: %v", k, fired)
	}
	t.Logf("%d histories; hits by kind: %v", n, fired)
}

type game struct {
	rnd  *rand.Rand
	log  strings.Builder
	sets []gameSet
}

type gameSet struct {
	rules []refRule
	set   *Set
}

var gameTools = []string{"a", "b", "c", "d"}

func (g *game) pick(list ...string) string { return list[g.rnd.IntN(len(list))] }

func (g *game) chance(percent int) bool { return g.rnd.IntN(100) < percent }

func (g *game) tool() string {
	if g.chance(10) {
		return "*"
	}
	return g.pick(gameTools...)
}

func (g *game) rule(name string) refRule {
	r := refRule{
		name: name, kind: []Kind{KindFlow, KindFlow, KindLoop, KindRate, KindBudget}[g.rnd.IntN(5)],
		action: []Action{ActionBlock, ActionBlock, ActionReview, ActionShadow}[g.rnd.IntN(4)],
		any:    g.chance(20), within: int64(1+g.rnd.IntN(12)) * 1000,
	}
	switch r.kind {
	case KindFlow:
		for n := 1 + g.rnd.IntN(4); n > 0; n-- {
			for g.chance(35) {
				r.steps = append(r.steps, refStep{guardStep, g.tool()})
			}
			kind := callStep
			if g.chance(20) {
				kind = resultStep
			}
			r.steps = append(r.steps, refStep{kind, g.tool()})
		}
		if g.chance(10) {
			r.steps = append(r.steps, refStep{guardStep, g.tool()})
		}
	default:
		r.steps = []refStep{{callStep, g.tool()}}
		r.threshold = 2 + g.rnd.IntN(3)
		r.max = float64(1 + g.rnd.IntN(5))
		r.perRule = g.chance(50)
	}
	return r
}

func (r *refRule) yaml(b *strings.Builder) {
	fmt.Fprintf(b, "  - name: %s\n    action: %s\n", r.name, r.action)
	if r.any {
		b.WriteString("    scope: any\n")
	}
	selector := func(s refStep) string { return fmt.Sprintf("tool: %q", s.tool) }
	switch r.kind {
	case KindFlow:
		fmt.Fprintf(b, "    flow:\n      within: %dms\n      steps:\n", r.within)
		for _, s := range r.steps {
			fmt.Fprintf(b, "        - %s: {%s}\n", s.kind, selector(s))
		}
	case KindLoop:
		fmt.Fprintf(b, "    loop: {%s, threshold: %d, within: %dms, ignore_args: [nonce]}\n", selector(r.steps[0]), r.threshold, r.within)
	case KindRate:
		per := "tool"
		if r.perRule {
			per = "rule"
		}
		fmt.Fprintf(b, "    rate: {%s, max: %d, within: %dms, per: %s}\n", selector(r.steps[0]), int(r.max), r.within, per)
	case KindBudget:
		fmt.Fprintf(b, "    budget: {%s, amount: args.size, max: %d, within: %dms}\n", selector(r.steps[0]), int(r.max), r.within)
	}
}

func (g *game) compile(rules []refRule) string {
	var b strings.Builder
	b.WriteString("version: 1\nrules:\n")
	for i := range rules {
		rules[i].yaml(&b)
	}
	p, err := Parse("game.yaml", []byte(b.String()))
	if err != nil {
		return err.Error() + "\n" + b.String()
	}
	s, err := p.compileWith(gameCompiler(p))
	if err != nil {
		return err.Error() + "\n" + b.String()
	}
	g.sets = append(g.sets, gameSet{rules: rules, set: s})
	fmt.Fprintf(&g.log, "--- set %d\n%s", len(g.sets)-1, b.String())
	return ""
}

// gameCompiler shares one predicate environment between the thousands of packs of a run.
var sharedCompiler *compiler

func gameCompiler(*Pack) *compiler {
	if sharedCompiler == nil {
		c, err := newCompiler(Helpers{}, nil)
		if err != nil {
			panic(err)
		}
		sharedCompiler = c
	}
	return sharedCompiler
}

func (g *game) play(fired map[Kind]int) string {
	rules := make([]refRule, 1+g.rnd.IntN(4))
	for i := range rules {
		rules[i] = g.rule(fmt.Sprintf("r%d", i))
	}
	if msg := g.compile(rules); msg != "" {
		return msg
	}
	st, ref := NewState(), newReference()
	now := int64(1_700_000_000_000)
	var open [][16]byte
	for step := range 10 + g.rnd.IntN(40) {
		now += int64([]int{0, 0, 1, 400, 1000, 1500, 4000}[g.rnd.IntN(7)])
		switch {
		case g.chance(4):
			// Reload: some rules stay, some change, some go.
			next := append([]refRule(nil), g.sets[len(g.sets)-1].rules...)
			for i := range next {
				if g.chance(40) {
					next[i] = g.rule(next[i].name)
				}
			}
			if len(next) > 1 && g.chance(30) {
				next = next[1:]
			}
			if msg := g.compile(next); msg != "" {
				return msg
			}
		case len(open) > 0 && g.chance(45):
			i := g.rnd.IntN(len(open))
			id, commit := open[i], g.chance(65)
			open = append(open[:i], open[i+1:]...)
			fmt.Fprintf(&g.log, "%d settle %d commit=%v\n", now, id[15], commit)
			st.Settle(id, commit, time.UnixMilli(now))
			ref.settle(id, commit, now)
		default:
			which := len(g.sets) - 1
			if which > 0 && g.chance(20) {
				which = g.rnd.IntN(which + 1) // a late exchange on an old set
			}
			gs := g.sets[which]
			var id [16]byte
			binary.BigEndian.PutUint64(id[8:], uint64(step+1))
			e := refEvent{id: id, at: now - int64(g.rnd.IntN(3)*300), tool: g.pick(gameTools...), result: g.chance(25), shared: g.chance(10), args: g.pick("x", "y"), amount: float64(g.rnd.IntN(2) * 2)}
			ev := Event{Result: e.result, Tool: e.tool, Method: MethodToolsCall, Now: time.UnixMilli(e.at), Args: map[string]any{"v": e.args, "nonce": int64(step)}}
			ev.Args.(map[string]any)["size"] = int64(e.amount)
			e.args = fmt.Sprint(e.args, e.amount) // what a loop compares: the arguments without the nonce
			const pending = 3000
			m := gs.set.Match(&ev)
			hits := gs.set.Advance(st, &m, AdvanceInfo{ID: id, Shared: e.shared, Now: ev.Now, Pending: pending * time.Millisecond})
			want := ref.evaluate(which, gs.rules, e, pending)
			fmt.Fprintf(&g.log, "%d set %d event %d tool=%s result=%v shared=%v args=%s amount=%v\n   automata  %v\n   reference %v\n", e.at, which, id[15], e.tool, e.result, e.shared, e.args, e.amount, hits, want)
			if len(m.Faults) > 0 {
				return fmt.Sprint(m.Faults, "\n", g.log.String())
			}
			if len(hits) != len(want) {
				return g.log.String()
			}
			for i, h := range hits {
				w := want[i]
				if h.Rule != w.rule || h.Action != w.action || h.RetryAfter != w.retry || h.SharedKey != w.shared {
					return g.log.String()
				}
				fired[h.Kind]++
			}
			switch {
			case g.chance(60):
				open = append(open, id)
			case g.chance(80):
				commit := g.chance(70)
				st.Settle(id, commit, time.UnixMilli(now))
				ref.settle(id, commit, now)
				fmt.Fprintf(&g.log, "%d settled at once commit=%v\n", now, commit)
			} // else: never settled
		}
	}
	return ""
}

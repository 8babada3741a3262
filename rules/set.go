package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json/v2"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"cel.dev/cel-go/common/types/ref"
)

// Set is a compiled pack: immutable, safe for any number of goroutines.
type Set struct {
	pack    *Pack
	rules   []*rule
	steps   []*step
	index   *index
	lists   ref.Val
	ignores [][]string // distinct ignore_args lists, referred to by rule.ignore
	version string
	gen     *generation
	source  *compiler // of its predicates, for sets that reuse them
}

// rule is one compiled rule.
type rule struct {
	decl   *ruleDecl
	index  int
	id     uint64 // of its content: equal across reloads exactly when the rule is unchanged
	within uint32 // milliseconds
	length int    // flows: calls and results
	ignore int    // loops: index into Set.ignores
	amount *predicate
}

// step is one selector of one rule.
type step struct {
	decl *stepDecl
	rule int
	at   int    // position among the rule's steps as written
	bit  uint32 // flows: which call or result; guards: the one they follow
	when *predicate
}

// generation tells states which rules the newest set has, without keeping the set itself alive.
type generation struct {
	seq   uint64
	ids   map[uint64]struct{}
	order []uint64 // the ids, sorted
}

// compiled orders sets by age. It is the one piece of process state in this package: a late exchange on an old set must be
// recognised as late by a state that has seen a newer one.
var compiledSets atomic.Uint64

// Option changes how a pack is compiled.
type Option func(*options)

type options struct {
	helpers Helpers
	prior   *Set
}

// WithHelpers replaces the default helper functions of the predicate language.
func WithHelpers(h Helpers) Option { return func(o *options) { o.helpers = h } }

// Reusing takes over the predicates that prior has compiled already, with prior's helper functions, which then are the new set's
// too: a reload compiles what has changed. It says nothing about what states remember. A nil prior is no option.
func Reusing(prior *Set) Option { return func(o *options) { o.prior = prior } }

// Compile type-checks every expression and builds the index. The error is Errors with every problem found.
func (p *Pack) Compile(opts ...Option) (*Set, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if o.prior != nil {
		return p.compileWith(o.prior.source.next(p.lists))
	}
	c, err := newCompiler(o.helpers, p.lists)
	if err != nil {
		return nil, err
	}
	return p.compileWith(c)
}

// withLists compiles the set's pack anew with some of its lists replaced.
func (s *Set) withLists(lists map[string][]string) (*Set, error) {
	p := *s.pack
	p.lists = maps.Clone(p.lists)
	maps.Copy(p.lists, lists)
	return p.Compile(Reusing(s))
}

func (p *Pack) compileWith(c *compiler) (*Set, error) {
	s := &Set{pack: p, lists: c.listed, source: c}
	var found problems
	for _, decl := range p.rules {
		s.compileRule(c, decl, &found)
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	c.prior = nil
	s.index = newIndex(s.steps)
	s.version = s.hash()
	s.gen = &generation{seq: compiledSets.Add(1), ids: make(map[uint64]struct{}, len(s.rules))}
	for _, r := range s.rules {
		s.gen.ids[r.id] = struct{}{}
	}
	s.gen.order = slices.Sorted(maps.Keys(s.gen.ids))
	return s, nil
}

func (s *Set) compileRule(c *compiler, decl *ruleDecl, found *problems) {
	r := &rule{decl: decl, index: len(s.rules), within: uint32(decl.within.Milliseconds())}
	used := map[string]bool{}
	compile := func(e *exprDecl, result, amount bool) *predicate {
		if e == nil {
			return nil
		}
		p, issues := c.compile(e.text, result, amount)
		for _, i := range issues {
			found.add(e.at(i.line, i.column), "%s", i.msg)
		}
		if p != nil {
			for _, name := range p.lists {
				used[name] = true
			}
		}
		return p
	}
	for at, d := range decl.steps {
		st := &step{decl: d, rule: r.index, at: at, when: compile(d.when, d.kind == resultStep, false)}
		if decl.kind == KindFlow {
			if d.kind == guardStep {
				if r.length == 0 {
					continue // nothing before it to void; lint says so
				}
				st.bit = 1 << (r.length - 1)
			} else {
				st.bit = 1 << r.length
				r.length++
			}
		}
		s.steps = append(s.steps, st)
	}
	if decl.kind == KindFlow {
		// A guard behind the last step has nothing left to void.
		for i := len(s.steps) - 1; i >= 0 && s.steps[i].rule == r.index && s.steps[i].decl.kind == guardStep; i-- {
			s.steps = s.steps[:i]
		}
	}
	r.amount = compile(decl.amount, false, true)
	if decl.kind == KindLoop {
		r.ignore = s.ignoreGroup(decl.ignore)
	}
	r.id = decl.contentID(c.lists, used)
	s.rules = append(s.rules, r)
}

// ignoreGroup returns the index of an ignore_args list, so that rules with the same one share a fingerprint.
func (s *Set) ignoreGroup(names []string) int {
	sorted := slices.Sorted(slices.Values(names))
	if i := slices.IndexFunc(s.ignores, func(known []string) bool { return slices.Equal(known, sorted) }); i >= 0 {
		return i
	}
	s.ignores = append(s.ignores, sorted)
	return len(s.ignores) - 1
}

// contentID hashes everything of a rule that decides what it does: all fields but the description and the place in the file, and
// the contents of the lists that its expressions use.
func (r *ruleDecl) contentID(lists map[string][]string, used map[string]bool) uint64 {
	type stepContent struct {
		Kind                                            stepKind
		Service, Tool, Method, Route, Principal, Labels []string
		When                                            string
	}
	content := struct {
		Name      string
		Action    Action
		Any       bool
		Kind      Kind
		Within    int64
		Threshold int
		Ignore    []string
		Max       float64
		PerRule   bool
		Amount    string
		Steps     []stepContent
		Lists     map[string][]string
	}{
		Name: r.name, Action: r.action, Any: r.anyScope, Kind: r.kind, Within: int64(r.within), Threshold: r.threshold,
		Ignore: r.ignore, Max: r.max, PerRule: r.perRule, Lists: map[string][]string{},
	}
	if r.amount != nil {
		content.Amount = r.amount.text
	}
	for _, s := range r.steps {
		c := stepContent{Kind: s.kind, Service: s.service.sources(), Tool: s.tool.sources(), Method: s.method.sources(),
			Route: s.route.sources(), Principal: s.principal.sources(), Labels: s.labels.sources()}
		if s.when != nil {
			c.When = s.when.text
		}
		content.Steps = append(content.Steps, c)
	}
	for name := range used {
		content.Lists[name] = lists[name]
	}
	text, err := json.Marshal(content, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("rules: content of rule %q: %v", r.name, err)) // plain data always marshals
	}
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:8])
}

// hash is over the rules in order and the plain-data sections; descriptions and tests do not count.
func (s *Set) hash() string {
	h := sha256.New()
	for _, r := range s.rules {
		_ = binary.Write(h, binary.BigEndian, r.id)
	}
	type plain struct {
		Detectors []DetectorSpec
		Allow     []AllowSpec
	}
	data := plain{Detectors: s.pack.Detectors(), Allow: s.pack.Allow()}
	for i := range data.Detectors {
		data.Detectors[i].Pos, data.Detectors[i].Description = Position{}, ""
	}
	for i := range data.Allow {
		data.Allow[i].Pos, data.Allow[i].Reason = Position{}, ""
	}
	text, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("rules: hash of pack %q: %v", s.pack.name, err))
	}
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// Version is a short hash of the set's content: equal exactly when two packs decide alike.
func (s *Set) Version() string { return s.version }

// Pack is the pack the set was compiled from.
func (s *Set) Pack() *Pack { return s.pack }

package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
)

// Code names what a lint finding is about.
type Code string

// The codes of lint findings. CodeInvalid is an error, the pack cannot be used; all others are warnings.
const (
	CodeInvalid     Code = "invalid"       // the pack does not parse or compile
	CodeDuplicate   Code = "duplicate"     // two rules that do the same
	CodeUnreachable Code = "unreachable"   // a rule or step that nothing can match
	CodeShadowed    Code = "shadowed"      // a call rule denies everything that this rule is about
	CodeIdleGuard   Code = "idle-guard"    // a guard that can never void anything
	CodeAbsentPath  Code = "absent-path"   // a predicate is silently false when a member is missing
	CodeUnknown     Code = "unknown-label" // a label that the engine never produces
	CodeUnusedList  Code = "unused-list"   // a list that no predicate reads
	CodeUntested    Code = "untested"      // no test of the pack makes the rule fire
)

// Problem is one lint finding.
type Problem struct {
	Pos  Position
	Code Code
	Msg  string
}

// Fatal reports that the pack cannot be used at all.
func (p Problem) Fatal() bool { return p.Code == CodeInvalid }

func (p Problem) String() string {
	kind := "warning"
	if p.Fatal() {
		kind = "error"
	}
	return fmt.Sprintf("%s: %s: %s (%s)", p.Pos, kind, p.Msg, p.Code)
}

// Lint reads a pack as Load does and returns everything there is to say about it, in file order. The error is for I/O alone:
// a pack that cannot be used is a list of fatal problems.
func Lint(path string, opts ...Option) ([]Problem, error) {
	pack, err := Load(path)
	if err != nil {
		return invalid(err)
	}
	return pack.Lint(opts...), nil
}

func invalid(err error) ([]Problem, error) {
	var many Errors
	if !errors.As(err, &many) {
		return nil, err
	}
	out := make([]Problem, len(many))
	for i, e := range many {
		out[i] = Problem{Pos: e.Pos, Code: CodeInvalid, Msg: e.Msg}
	}
	return out, nil
}

// Lint looks for what is allowed but hardly meant. A pack that does not compile yields its errors only.
func (p *Pack) Lint(opts ...Option) []Problem {
	set, err := p.Compile(opts...)
	if err != nil {
		found, ioErr := invalid(err)
		if ioErr != nil {
			return []Problem{{Pos: Position{File: p.source}, Code: CodeInvalid, Msg: err.Error()}}
		}
		return found
	}
	l := linter{set: set}
	l.duplicates()
	l.steps()
	l.guards()
	l.shadowed()
	l.labels()
	l.predicates()
	l.lists()
	l.untested()
	slices.SortStableFunc(l.found, func(a, b Problem) int { return a.Pos.compare(b.Pos) })
	return l.found
}

type linter struct {
	set   *Set
	found []Problem
}

func (l *linter) add(pos Position, code Code, format string, args ...any) {
	l.found = append(l.found, Problem{Pos: pos, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// duplicates compares rules by content without their names and actions.
func (l *linter) duplicates() {
	seen := map[uint64]*ruleDecl{}
	for _, r := range l.set.rules {
		bare := *r.decl
		bare.name, bare.action = "", ActionShadow
		id := bare.contentID(nil, nil)
		if first, ok := seen[id]; ok {
			l.add(r.decl.pos, CodeDuplicate, "rule %q does what %q at %s does", r.decl.name, first.name, first.pos)
			continue
		}
		seen[id] = r.decl
	}
}

// steps finds predicates that are constant.
func (l *linter) steps() {
	for _, s := range l.set.steps {
		if s.when == nil || s.when.constant == nil {
			continue
		}
		r := l.set.rules[s.rule].decl
		pos := s.decl.when.at(1, 0)
		switch {
		case *s.when.constant:
			l.add(pos, CodeUnreachable, "when is always true; leave it out")
		case s.decl.kind == guardStep:
			l.add(pos, CodeIdleGuard, "the guard's predicate is always false")
		default:
			l.add(pos, CodeUnreachable, "rule %q can never fire: its predicate is always false", r.name)
		}
	}
	for _, r := range l.set.rules {
		if r.decl.kind == KindBudget && r.amount.ast.NativeRep().Expr().Kind() == ast.LiteralKind && r.decl.amount.text == "0" {
			l.add(r.decl.amount.pos, CodeUnreachable, "rule %q can never fire: its amount is always 0", r.decl.name)
		}
	}
}

// guards finds guards that have nothing to void.
func (l *linter) guards() {
	for _, r := range l.set.rules {
		if r.decl.kind != KindFlow {
			continue
		}
		lastCall := -1
		for i, s := range r.decl.steps {
			if s.kind != guardStep {
				lastCall = i
			}
		}
		before := -1
		for i, s := range r.decl.steps {
			switch {
			case s.kind != guardStep:
				before = i
			case before < 0:
				l.add(s.pos, CodeIdleGuard, "the guard stands before the first step, where there is nothing to void")
			case i > lastCall:
				l.add(s.pos, CodeIdleGuard, "the guard stands behind the last step, when the rule has fired already")
			case before == firstCall(r.decl) && sameSelector(s, r.decl.steps[before]):
				l.add(s.pos, CodeIdleGuard, "the guard matches the step before it, which begins anew each time")
			}
		}
	}
}

func firstCall(r *ruleDecl) int {
	return slices.IndexFunc(r.steps, func(s *stepDecl) bool { return s.kind != guardStep })
}

func sameSelector(a, b *stepDecl) bool {
	text := func(s *stepDecl) string {
		if s.when == nil {
			return ""
		}
		return s.when.text
	}
	return b.kind == callStep && text(a) == text(b) && sameMatcher(a.tool, b.tool) && sameMatcher(a.service, b.service) &&
		sameMatcher(a.method, b.method) && sameMatcher(a.route, b.route) && sameMatcher(a.principal, b.principal)
}

func sameMatcher(a, b *matcher) bool { return slices.Equal(a.sources(), b.sources()) }

// shadowed finds steps whose every call an unconditional call rule denies.
func (l *linter) shadowed() {
	for _, by := range l.set.rules {
		block := by.decl.steps[0]
		if by.decl.kind != KindCall || by.decl.action != ActionBlock || block.when != nil || block.route != nil || block.principal != nil {
			continue
		}
		for _, r := range l.set.rules {
			if r == by {
				continue
			}
			for _, s := range r.decl.steps {
				if s.kind == resultStep || !covers(block, s) {
					continue
				}
				if s.kind == guardStep {
					l.add(s.pos, CodeIdleGuard, "the guard can never be allowed: rule %q denies every such call", by.decl.name)
					continue
				}
				l.add(s.pos, CodeShadowed, "rule %q has no effect: rule %q denies every such call", r.decl.name, by.decl.name)
				break
			}
		}
	}
}

// covers reports whether every call that s matches is one that block matches. It may miss a cover, never invent one.
func covers(block, s *stepDecl) bool {
	return coversMatcher(block.tool, s.tool) && coversMatcher(block.service, s.service) && coversMethod(block.method, s.method)
}

func coversMatcher(wide, narrow *matcher) bool {
	if wide == nil || slices.Contains(wide.sources(), "*") {
		return true
	}
	if narrow == nil {
		return false
	}
	for i := range narrow.patterns {
		p := &narrow.patterns[i]
		if slices.Contains(wide.sources(), p.source) || p.exact && wide.match(p.source) {
			continue
		}
		return false
	}
	return true
}

// coversMethod knows that no method means tools/call.
func coversMethod(wide, narrow *matcher) bool {
	if narrow == nil {
		return wide.match(MethodToolsCall)
	}
	names, exact := narrow.exactNames()
	if wide == nil {
		return exact && len(names) == 1 && names[0] == MethodToolsCall
	}
	return coversMatcher(wide, narrow)
}

func (l *linter) labels() {
	for _, r := range l.set.rules {
		for _, s := range r.decl.steps {
			if s.labels == nil {
				continue
			}
			for i := range s.labels.patterns {
				p := &s.labels.patterns[i]
				if i < len(s.labelPos) && !slices.ContainsFunc(knownLabels, p.match) {
					l.add(s.labelPos[i], CodeUnknown, "no result carries a label like %q; known are %s", p.source, strings.Join(knownLabels, ", "))
				}
			}
		}
	}
}

// predicates warns of members whose absence decides an expression without a word.
func (l *linter) predicates() {
	for _, s := range l.set.steps {
		if s.when != nil {
			for _, path := range absentPaths(s.when) {
				l.add(s.decl.when.at(path.line, path.column), CodeAbsentPath,
					"the predicate is false when %s is absent; if that matters, test has(%s) or read it with .?", path.name, path.name)
			}
		}
	}
	for _, r := range l.set.rules {
		if r.amount != nil {
			for _, path := range absentPaths(r.amount) {
				l.add(r.decl.amount.at(path.line, path.column), CodeAbsentPath, "a call without %s adds nothing to the budget", path.name)
			}
		}
	}
}

type absentPath struct {
	name         string
	line, column int
}

// absentPaths lists the longest args.x.y and meta.x selections of an expression that no has() in it tests.
func absentPaths(p *predicate) []absentPath {
	native := p.ast.NativeRep()
	tested := map[string]bool{}
	inner := map[int64]bool{}
	type selection struct {
		path string
		id   int64
	}
	var all []selection
	ast.PreOrderVisit(native.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		path, ok := selectPath(e)
		if !ok {
			return
		}
		if e.Kind() == ast.SelectKind {
			inner[e.AsSelect().Operand().ID()] = true
			if e.AsSelect().IsTestOnly() {
				tested[path] = true
				return
			}
		}
		all = append(all, selection{path, e.ID()})
	}))
	seen := map[string]bool{}
	var out []absentPath
	for _, s := range all {
		if inner[s.id] || tested[s.path] || seen[s.path] {
			continue
		}
		seen[s.path] = true
		loc := native.SourceInfo().GetStartLocation(s.id)
		out = append(out, absentPath{name: s.path, line: max(loc.Line(), 1), column: max(loc.Column(), 0)})
	}
	return out
}

func selectPath(e ast.Expr) (string, bool) {
	if e.Kind() != ast.SelectKind {
		return "", false
	}
	operand := e.AsSelect().Operand()
	if isIdent(operand, "args") || isIdent(operand, "meta") || isIdent(operand, "headers") {
		return operand.AsIdent() + "." + e.AsSelect().FieldName(), true
	}
	base, ok := selectPath(operand)
	return base + "." + e.AsSelect().FieldName(), ok
}

func (l *linter) lists() {
	used := map[string]bool{}
	mark := func(p *predicate) {
		if p != nil {
			for _, name := range p.lists {
				used[name] = true
			}
		}
	}
	for _, s := range l.set.steps {
		mark(s.when)
	}
	for _, r := range l.set.rules {
		mark(r.amount)
	}
	for name, pos := range l.set.pack.listPos {
		if !used[name] {
			l.add(pos, CodeUnusedList, "no predicate reads list %q", name)
		}
	}
}

func (l *linter) untested() {
	if len(l.set.pack.tests) == 0 {
		return // a pack without tests is told so once, by whoever runs them
	}
	fires := map[string]bool{}
	for _, t := range l.set.pack.tests {
		for _, f := range t.allFires() {
			fires[f.rule] = true
		}
	}
	for _, r := range l.set.rules {
		if !fires[r.decl.name] {
			l.add(r.decl.pos, CodeUntested, "no test makes rule %q fire", r.decl.name)
		}
	}
}

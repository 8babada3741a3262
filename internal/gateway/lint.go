package gateway

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Finding is one thing about a configuration that an operator should know.
type Finding struct {
	// File, Line and Column say where, the latter two from 1.
	File         string
	Line, Column int
	// Unsafe is set when it can turn a denial or a fault into a pass.
	Unsafe bool
	// Message says what is so and what it means.
	Message string
}

// String is "file:line:column: note: message", or "unsafe" in place of "note".
func (f Finding) String() string {
	level := "note"
	if f.Unsafe {
		level = "unsafe"
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Column, level, f.Message)
}

// maxConfig bounds what is read, in bytes.
const maxConfig = 4 << 20

// Lint reports what is remarkable about the guardrail processors of a gateway
// configuration, in document order. A configuration without any is an error, as is
// one that is not YAML.
func Lint(name string, data []byte) ([]Finding, error) {
	if len(data) > maxConfig {
		return nil, fmt.Errorf("lint gateway configuration %q: more than %d MiB", name, maxConfig>>20)
	}
	file, err := parser.ParseBytes(bytes.TrimPrefix(data, []byte("\ufeff")), 0)
	if err != nil {
		return nil, fmt.Errorf("lint gateway configuration %q: %w", name, oneLine(err))
	}
	l := linter{file: name}
	for _, doc := range file.Docs {
		ast.Walk(visitor(l.visit), doc.Body)
	}
	if l.processors == 0 {
		return nil, fmt.Errorf("lint gateway configuration %q: no mcpGuardrails processor in it: nothing is guarded", name)
	}
	return l.found, nil
}

type visitor func(ast.Node)

// Visit implements ast.Visitor.
func (v visitor) Visit(n ast.Node) ast.Visitor {
	v(n)
	return v
}

type linter struct {
	file       string
	processors int
	found      []Finding
}

func (l *linter) add(at ast.Node, unsafe bool, format string, args ...any) {
	p := at.GetToken().Position
	l.found = append(l.found, Finding{File: l.file, Line: p.Line, Column: p.Column, Unsafe: unsafe, Message: fmt.Sprintf(format, args...)})
}

// visit looks for mcpGuardrails anywhere: it may stand on a route, a backend or
// at the top.
func (l *linter) visit(n ast.Node) {
	m, ok := n.(*ast.MappingValueNode)
	if !ok || key(m) != "mcpGuardrails" {
		return
	}
	list, ok := member(m.Value, "processors").(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		l.add(m.Key, true, "mcpGuardrails has no processors: nothing is guarded")
		return
	}
	if len(list.Values) > 1 {
		l.add(list.Values[1], false, "processors run in order in both phases; a later one can still change what an earlier one approved, so put the one that decides last")
	}
	for _, p := range list.Values {
		l.processors++
		l.processor(p)
	}
}

// reach lists the methods that carry content to a model, with what is lost when the
// guardrail is not asked about them.
var reach = []struct {
	method, phase, lost string
}{
	{"tools/call", "full", "tool results"},
	{"tools/list", "response", "tool descriptions, which a model reads first,"},
	{"prompts/get", "full", "prompt texts"},
	{"prompts/list", "response", "prompt descriptions"},
	{"resources/read", "full", "resource contents"},
	{"resources/list", "response", "resource names and descriptions"},
	{"resources/templates/list", "response", "resource templates"},
	{"completion/complete", "response", "completion values"},
	{"tasks/get", "response", "results of long-running calls"},
	{"initialize", "response", "server instructions"},
	{"server/discover", "response", "server instructions"},
}

// quiet are the other methods that a gateway can ask about. What they carry reaches
// no model, so that leaving them out is no finding.
var quiet = []string{
	"ping", "logging/setLevel", "subscriptions/listen", "resources/subscribe", "resources/unsubscribe",
	"tasks/list", "tasks/result", "tasks/update", "tasks/cancel",
}

func (l *linter) processor(p ast.Node) {
	if mode := member(p, "failureMode"); mode != nil && strings.EqualFold(text(mode), "failOpen") {
		l.add(mode, true, "failOpen passes every exchange that the guardrail could not answer: a restart or a lost connection is a window without it")
	}
	l.methods(p)
	l.metadata(p)
	l.headers(p)
	l.timeout(p)
}

// credentials are the headers that no guardrail needs.
var credentials = []string{"authorization", "cookie"}

// headers asks which client headers the gateway sends along: those of the allow
// list, all without one, and never those of the deny list.
func (l *linter) headers(p ast.Node) {
	node := member(p, "requestHeaders")
	if node == nil {
		l.add(p, false, "no requestHeaders: every client header, credentials included, is sent to the guardrail; add disallowed: [authorization, cookie]")
		return
	}
	allowed, disallowed := words(member(node, "allowed")), words(member(node, "disallowed"))
	for _, name := range credentials {
		if !slices.Contains(disallowed, name) && (len(allowed) == 0 || slices.Contains(allowed, name)) {
			l.add(node, false, "requestHeaders lets %s through: the client's credentials are sent to the guardrail, which has no use for them", name)
		}
	}
}

func (l *linter) methods(p ast.Node) {
	node := member(p, "methods")
	if node == nil {
		l.add(p, true, "no methods: the guardrail is asked about nothing")
		return
	}
	patterns := members(node)
	for _, r := range reach {
		phase, at := lookUp(patterns, r.method)
		switch {
		case at == nil:
			l.add(node, true, "%s is not listed: %s are never seen (want %q: %s)", r.method, r.lost, r.method, r.phase)
		case strings.EqualFold(phase, "off"):
			l.add(at, true, "%s is off: %s are never seen (want %s)", r.method, r.lost, r.phase)
		case strings.EqualFold(phase, "request"):
			l.add(at, true, "%s has phase request: %s are never seen (want %s)", r.method, r.lost, r.phase)
		case r.phase == "full" && strings.EqualFold(phase, "response"):
			l.add(at, true, "%s has phase response: the call has happened before it is judged (want full)", r.method)
		}
	}
	for _, m := range patterns {
		l.pattern(m)
		if name := key(m); slices.Contains([]string{"resources/subscribe", "resources/unsubscribe", "completion/complete"}, name) || strings.HasPrefix(name, "tasks/") {
			if phase := text(m.Value); strings.EqualFold(phase, "full") || strings.EqualFold(phase, "request") {
				l.add(m.Key, false, "the gateway never asks about the request of %s; only its response is seen", name)
			}
		}
	}
}

// pattern looks at one entry by itself: the gateway only warns about a phase or a
// method that it does not know, and goes on without.
func (l *linter) pattern(m *ast.MappingValueNode) {
	if phase := strings.ToLower(text(m.Value)); !slices.Contains([]string{"off", "request", "response", "full"}, phase) {
		l.add(m.Value, true, "phase %q of %s is none of off, request, response, full", text(m.Value), key(m))
	}
	known := slices.Clone(quiet)
	for _, r := range reach {
		known = append(known, r.method)
	}
	if !slices.ContainsFunc(known, func(method string) bool { return matches(key(m), method) >= 0 }) {
		l.add(m.Key, false, "%q is no method that a gateway asks about", key(m))
	}
}

// matches ranks how a pattern fits a method, -1 when it does not: exact names win
// over "prefix/*", those over "*/suffix", those over "*"; among the same kind the
// longest wins.
func matches(pattern, method string) int {
	switch {
	case pattern == method:
		return 3 << 16
	case strings.HasSuffix(pattern, "/*") && strings.HasPrefix(method, pattern[:len(pattern)-1]):
		return 2<<16 + len(pattern)
	case strings.HasPrefix(pattern, "*/") && strings.HasSuffix(method, pattern[1:]):
		return 1<<16 + len(pattern)
	case pattern == "*":
		return 0
	}
	return -1
}

// lookUp finds the phase of a method and the entry that gives it, nil for none.
func lookUp(patterns []*ast.MappingValueNode, method string) (phase string, at ast.Node) {
	best := -1
	for _, m := range patterns {
		if rank := matches(key(m), method); rank > best {
			best, phase, at = rank, text(m.Value), m.Key
		}
	}
	return phase, at
}

func (l *linter) metadata(p ast.Node) {
	node := member(p, "metadata")
	at, lead := p, "no metadata"
	if node != nil {
		at, lead = node, "metadata"
	}
	call := member(node, "call")
	switch {
	case call == nil:
		l.add(at, false, "%s: without call: mcpGuardrails.call a result does not know its call, and rules about results do not run", lead)
	case strings.Contains(text(call), "extMcp."):
		l.add(call, false, "the gateway's name for it is mcpGuardrails.call; extMcp.* never evaluates")
	}
	if member(node, "principal") == nil {
		l.add(at, false, "%s: without principal (e.g. jwt.sub) a caller that reconnects starts afresh for rules across calls", lead)
		if member(node, "session") == nil {
			l.add(at, false, "%s: with neither principal nor session all callers of a service share one key, on which loops, rates and budgets do not fire", lead)
		}
	}
	for _, m := range members(node) {
		if strings.Contains(text(m.Value), "mcp.tool") || strings.Contains(text(m.Value), "mcp.method") {
			l.add(m.Key, false, "mcp.* is not set where metadata is evaluated; %s will be missing", key(m))
		}
	}
}

// minTimeout is the exchange timeout of a guardrail with default settings, plus
// room for the way there and back.
const minTimeout = 2500 * time.Millisecond

func (l *linter) timeout(p ast.Node) {
	node := member(member(member(p, "policies"), "http"), "requestTimeout")
	if node == nil {
		return // the gateway's default of 10 s leaves ours room
	}
	d, err := time.ParseDuration(text(node))
	switch {
	case err != nil:
		l.add(node, false, "requestTimeout %q is not a duration", text(node))
	case d < minTimeout:
		l.add(node, true, "requestTimeout %v is shorter than the guardrail's own deadline (EXCHANGE_TIMEOUT_MS, 2 s by default): the gateway gives up first and its failureMode decides", d)
	}
}

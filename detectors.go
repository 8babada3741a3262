package sallyport

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/rules"
)

// compileDetectors builds the scanner of a pack: the built-in detectors, those
// the pack adds, and what it allows, wherever that holds. The error is
// rules.Errors, with the pack's positions.
func compileDetectors(pack *rules.Pack) (*content.Scanner, error) {
	var user []content.Detector
	var userAt, allowAt []rules.Position
	for _, d := range pack.Detectors() {
		severity, err := severityOf(d.Severity)
		if err != nil {
			return nil, problemAt(d.Pos, fmt.Errorf("detector %q: %w", d.Name, err))
		}
		for i, pattern := range detectorPatterns(d) {
			name := d.Name
			if i > 0 {
				name = fmt.Sprintf("%s_%d", d.Name, i+1)
			}
			user = append(user, content.Detector{
				Name: name, Category: d.Category, Severity: severity, Keywords: d.Keywords,
				Pattern: pattern, Mask: d.Mask, Side: d.Side,
			})
			userAt = append(userAt, d.Pos)
		}
	}
	var allow []content.AllowEntry
	for _, a := range pack.Allow() {
		allow = append(allow, allowEntry(a))
		allowAt = append(allowAt, a.Pos)
	}
	s, err := content.Compile(user, allow)
	if err == nil {
		return s, nil
	}
	// Whose error it is: of the first detector or entry with which it comes.
	for i := range user {
		if _, err := content.Compile(user[:i+1], nil); err != nil {
			return nil, problemAt(userAt[i], errors.New(strings.TrimPrefix(err.Error(), "compile ")))
		}
	}
	for i := range allow {
		if _, err := content.Compile(user, allow[i:i+1]); err != nil {
			return nil, problemAt(allowAt[i], fmt.Errorf("exception: %s", strings.TrimPrefix(err.Error(), "compile allow entry 0: ")))
		}
	}
	return nil, problemAt(rules.Position{File: pack.Source()}, err)
}

func problemAt(pos rules.Position, err error) error {
	return rules.Errors{{Pos: pos, Msg: err.Error()}}
}

// detectorPatterns are the expressions of a detector; one that has keywords alone
// looks for them as they are, letter case ignored.
func detectorPatterns(d rules.DetectorSpec) []string {
	if len(d.Patterns) > 0 {
		return d.Patterns
	}
	quoted := make([]string, len(d.Keywords))
	for i, k := range d.Keywords {
		quoted[i] = regexp.QuoteMeta(k)
	}
	return []string{"(?i)(?:" + strings.Join(quoted, "|") + ")"}
}

// LintPack says everything there is to say about a rule pack, in file order: what
// rules.Lint says, and which detectors and exceptions the scanner would refuse.
// The error is for I/O alone.
func LintPack(path string) ([]rules.Problem, error) {
	found, err := rules.Lint(path, RuleOptions()...)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if p.Fatal() {
			return found, nil
		}
	}
	pack, err := rules.Load(path)
	if err != nil {
		return nil, err
	}
	var refused rules.Errors
	if _, err := compileDetectors(pack); errors.As(err, &refused) {
		for _, e := range refused {
			found = append(found, rules.Problem{Pos: e.Pos, Code: rules.CodeInvalid, Msg: e.Msg})
		}
	}
	return found, nil
}

// CheckPack reads a pack, compiles it and runs its tests, as an engine does before
// it puts one in force, "" the embedded one. The error is what the engine's would be.
func CheckPack(path string) error {
	_, err := loadRules(path, nil)
	return err
}

func allowEntry(a rules.AllowSpec) content.AllowEntry {
	e := content.AllowEntry{Detector: a.Detector}
	if expr, ok := regexpText(a.Text); ok {
		e.Pattern = expr
	} else {
		e.Literal = a.Text
	}
	return e
}

// regexpText returns the expression of a pattern written between slashes.
func regexpText(text string) (string, bool) {
	if len(text) > 2 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/") {
		return text[1 : len(text)-1], true
	}
	return "", false
}

func severityOf(word string) (content.Severity, error) {
	for _, s := range []content.Severity{content.Note, content.Review, content.Block} {
		if s.String() == word {
			return s, nil
		}
	}
	return 0, fmt.Errorf("unknown severity %q: want note, review or block", word)
}

// allowScope is where an allow entry of a pack holds: for a service, for a tool, or everywhere when both are empty.
type allowScope struct{ service, tool rules.Globs }

func (a *allowScope) everywhere() bool { return a.service.Empty() && a.tool.Empty() }

func (a *allowScope) covers(services []string, tool string) bool {
	return matchesAll(a.service, services) && (a.tool.Empty() || a.tool.Match(tool))
}

// allowScopes are the scopes of a pack's allow entries, in the order in which they were compiled into the scanner.
type allowScopes []allowScope

// compileAllowScopes returns nil for a pack whose entries all hold everywhere.
func compileAllowScopes(pack *rules.Pack) (allowScopes, error) {
	var all allowScopes
	scoped := false
	for _, spec := range pack.Allow() {
		var a allowScope
		var err error
		if a.service, err = optionalGlob(spec.Service); err != nil {
			return nil, fmt.Errorf("%s: allow: service: %w", spec.Pos, err)
		}
		if a.tool, err = optionalGlob(spec.Tool); err != nil {
			return nil, fmt.Errorf("%s: allow: tool: %w", spec.Pos, err)
		}
		scoped = scoped || !a.everywhere()
		all = append(all, a)
	}
	if !scoped {
		return nil, nil
	}
	return all, nil
}

func optionalGlob(text string) (rules.Globs, error) {
	if text == "" {
		return nil, nil
	}
	return rules.CompileGlobs([]string{text})
}

// scannerFor returns the pack's scanner with the allow entries that hold for an exchange. A fanned-out exchange is in the scope of a
// service only if every one of its services is: what one service may send must not silence what another does.
func (all allowScopes) scannerFor(s *content.Scanner, services []string, tool string) *content.Scanner {
	if all == nil {
		return s
	}
	return s.Narrow(func(entry int) bool { return all[entry].covers(services, tool) })
}

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
			user = append(user, content.Detector{
				Name: patternName(d, i), Category: d.Category, Severity: severity, Keywords: d.Keywords,
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

// patternName names one pattern of a detector in findings.
func patternName(d rules.DetectorSpec, pattern int) string {
	if pattern == 0 {
		return d.Name
	}
	return fmt.Sprintf("%s_%d", d.Name, pattern+1)
}

// detectorNames are the names under which the detectors of a pack find something.
func detectorNames(pack *rules.Pack) map[string]bool {
	names := make(map[string]bool)
	for _, d := range pack.Detectors() {
		for i := range detectorPatterns(d) {
			names[patternName(d, i)] = true
		}
	}
	return names
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

package sallyport

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/rules"
)

// compileDetectors builds the scanner of a pack: the built-in detectors, those
// the pack adds, and what it allows everywhere. Errors carry the pack's position.
func compileDetectors(pack *rules.Pack) (*content.Scanner, error) {
	var user []content.Detector
	for _, d := range pack.Detectors() {
		severity, err := severityOf(d.Severity)
		if err != nil {
			return nil, fmt.Errorf("%s: detector %q: %w", d.Pos, d.Name, err)
		}
		for i, pattern := range d.Patterns {
			name := d.Name
			if i > 0 {
				name = fmt.Sprintf("%s_%d", d.Name, i+1)
			}
			user = append(user, content.Detector{
				Name: name, Category: d.Category, Severity: severity, Keywords: d.Keywords,
				Pattern: pattern, Mask: d.Mask, Side: d.Side,
			})
			// One at a time first, so that an error is known to be this one's.
			if _, err := content.Compile(user[len(user)-1:], nil); err != nil {
				return nil, fmt.Errorf("%s: %w", d.Pos, err)
			}
		}
	}
	var allow []content.AllowEntry
	for _, a := range pack.Allow() {
		if a.Service != "" || a.Tool != "" {
			continue // holds for some calls only: see allowances
		}
		allow = append(allow, allowEntry(a))
	}
	s, err := content.Compile(user, allow)
	if err != nil {
		return nil, fmt.Errorf("compile the detectors of pack %q: %w", pack.Name(), err)
	}
	return s, nil
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

// allowance is an allow entry of a pack that holds for some services or tools.
type allowance struct {
	detector      string
	literal       string
	re            *regexp.Regexp
	service, tool rules.Globs
}

func compileAllowances(pack *rules.Pack) ([]allowance, error) {
	var out []allowance
	for _, spec := range pack.Allow() {
		if spec.Service == "" && spec.Tool == "" {
			continue
		}
		a := allowance{detector: spec.Detector, literal: spec.Text}
		var err error
		if a.service, err = optionalGlob(spec.Service); err != nil {
			return nil, fmt.Errorf("%s: allow: service: %w", spec.Pos, err)
		}
		if a.tool, err = optionalGlob(spec.Tool); err != nil {
			return nil, fmt.Errorf("%s: allow: tool: %w", spec.Pos, err)
		}
		if expr, ok := regexpText(spec.Text); ok {
			a.literal = ""
			if a.re, err = regexp.Compile(`\A(?:` + expr + `)\z`); err != nil {
				return nil, fmt.Errorf("%s: allow: text: %w", spec.Pos, err)
			}
		}
		out = append(out, a)
	}
	return out, nil
}

func optionalGlob(text string) (rules.Globs, error) {
	if text == "" {
		return nil, nil
	}
	return rules.CompileGlobs([]string{text})
}

// covers reports whether the allowance silences a match of this exchange.
func (a *allowance) covers(detector, match, service, tool string) bool {
	return (a.detector == "" || a.detector == detector) &&
		(a.literal == "" || a.literal == match) &&
		(a.re == nil || a.re.MatchString(match)) &&
		(a.service.Empty() || a.service.Match(service)) &&
		(a.tool.Empty() || a.tool.Match(tool))
}

package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/sallyport-mcp/sallyport/rules/toolglob"
)

// Profile overrides verdict settings for some exchanges. Which settings can be
// overridden is marked in [Table].
type Profile struct {
	// Name is what errors, and the log of a reload, call the profile.
	Name string
	// Services and Routes are globs ('*' any run, '?' one character). A profile
	// applies when each list that is given matches; an exchange with several
	// services matches when all of them do.
	Services, Routes []string
	// Overrides are the texts of the overridden settings by environment name.
	Overrides map[string]string
	// Verdict are the settings in force under the profile: the file's own, with
	// the overrides applied. It is complete.
	Verdict Verdict
}

// Verdict is the part of the settings that profiles can override; the fields are
// those of [Settings].
type Verdict struct {
	FailureMode, HumanReviewMode         string
	DryRun                               bool
	RedactResponses, RedactRequestParams bool
	ToolsListAction, PinAction           string
	HideDeniedTools                      bool
	PGBlockThreshold, PGReviewThreshold  float64
}

// Verdict returns the verdict settings outside every profile.
func (s *Settings) Verdict() Verdict {
	return Verdict{
		FailureMode: s.FailureMode, HumanReviewMode: s.HumanReviewMode, DryRun: s.DryRun,
		RedactResponses: s.RedactResponses, RedactRequestParams: s.RedactRequestParams,
		ToolsListAction: s.ToolsListAction, PinAction: s.PinAction, HideDeniedTools: s.HideDeniedTools,
		PGBlockThreshold: s.PGBlockThreshold, PGReviewThreshold: s.PGReviewThreshold,
	}
}

// maxProfiles bounds the list, since the first match is searched linearly for
// every exchange.
const maxProfiles = 256

// profiles reads the profiles section.
func (r *reader) profiles(n ast.Node) []Profile {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.problems.add(r.place(n), "", "profiles is not a list")
		return nil
	}
	if len(seq.Values) > maxProfiles {
		r.problems.add(r.place(n), "", "profiles holds over %d entries", maxProfiles)
		return nil
	}
	var out []Profile
	names := map[string]bool{}
	for i, item := range seq.Values {
		at := fmt.Sprintf("profiles[%d]", i)
		p := Profile{Overrides: map[string]string{}}
		for _, pair := range r.pairs(at, item) {
			r.profileKey(&p, at, pair)
		}
		if p.Name == "" {
			p.Name = at
		}
		if names[p.Name] {
			r.problems.add(r.place(item), "", "%s: a profile named %q stands above", at, p.Name)
		}
		names[p.Name] = true
		if len(p.Services) == 0 && len(p.Routes) == 0 {
			r.problems.add(r.place(item), "", "%s matches nothing in particular: give service or route", at)
		}
		out = append(out, p)
	}
	return out
}

func (r *reader) profileKey(p *Profile, at string, pair *ast.MappingValueNode) {
	switch key := pair.Key.GetToken().Value; key {
	case "name":
		text, ok := scalar(pair.Value)
		if !ok || text == "" {
			r.problems.add(r.place(pair.Value), "", "%s.name has no plain value", at)
		}
		p.Name = text
	case "service":
		p.Services = r.globs(at+".service", pair.Value)
	case "route":
		p.Routes = r.globs(at+".route", pair.Value)
	case "set":
		r.overrides(p, at, "", pair.Value)
	default:
		r.problems.add(r.place(pair.Key), "", "unknown key %q in %s (name, service, route, set)", key, at)
	}
}

// globs reads one glob or a list of them.
func (r *reader) globs(at string, n ast.Node) []string {
	nodes := []ast.Node{n}
	if seq, ok := n.(*ast.SequenceNode); ok {
		nodes = seq.Values
	}
	var out []string
	for _, node := range nodes {
		text, ok := scalar(node)
		if !ok {
			r.problems.add(r.place(node), "", "%s is not a glob or a list of globs", at)
			continue
		}
		if err := toolglob.Check(text); err != nil {
			r.problems.add(r.place(node), "", "%s: %v", at, err)
			continue
		}
		out = append(out, text)
	}
	return out
}

// overrides reads the settings of a profile, by the same paths as at the top.
func (r *reader) overrides(p *Profile, at, prefix string, n ast.Node) {
	for _, pair := range r.pairs(at+".set", n) {
		key := pair.Key.GetToken().Value
		path := strings.TrimPrefix(prefix+"."+key, ".")
		row := filePaths[path]
		switch {
		case strings.Contains(key, "."):
			r.problems.add(r.place(pair.Key), "", "key %q holds a dot: groups are nested mappings", key)
		case sections[path]:
			r.overrides(p, at, path, pair.Value)
		case row == nil:
			r.problems.add(r.place(pair.Key), "", "unknown setting %q in %s%s", path, at, suggest(path))
		case !row.Verdict:
			r.problems.add(r.place(pair.Key), row.Name, "cannot be overridden by a profile")
		default:
			v, ok := r.value(row.Name, pair.Value)
			if !ok {
				continue
			}
			var scratch Settings
			if err := row.assign(&scratch, v); err != nil {
				r.problems.add(r.place(pair.Value), row.Name, "%v", err)
				continue
			}
			p.Overrides[row.Name] = row.format(&scratch)
		}
	}
}

// resolve fills in Verdict from the settings that hold outside profiles.
func (p *Profile) resolve(base *Settings) {
	own := *base
	for name, text := range p.Overrides {
		// The text was accepted when it was read.
		if err := index[name].assign(&own, text); err != nil {
			panic(fmt.Sprintf("config: profile override %s does not read back: %v", name, err))
		}
	}
	p.Verdict = own.Verdict()
}

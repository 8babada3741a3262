package sallyport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
)

// policy is the engine's own part of a rule tuple: what a Policy compiles to
// beside the rules and detectors.
type policy struct {
	source   Policy
	acl      *rules.ACL
	profiles *profiles
	allow    allowScopes
	own      map[string]bool // the pack's own detectors
}

// ruleHelpers are the functions that conditions of rules read arguments with.
// Escapes are undone as the detectors undo them, so that a rule and a detector
// never disagree about what a text says.
func ruleHelpers() rules.Helpers {
	return rules.Helpers{Unescape: content.Unescape}
}

// RuleOptions are the options by which the engine compiles rule packs. A program
// that compiles, lints or tests a pack with package rules alone gives them along,
// so that it comes to the engine's answers.
func RuleOptions() []rules.Option {
	return []rules.Option{rules.WithHelpers(ruleHelpers())}
}

// build makes the rule tuple of the wanted policy, off every actor's turn. Rules,
// detectors, thresholds, access lists and profiles become one immutable value
// with one version.
//
// The two parts fail alone: when the pack does not load but the settings are good,
// the tuple keeps the rules in force, takes the settings, and is returned beside
// the error; and the other way round.
func (e *Engine) build(ctx context.Context) (*messages.Tuple, error) {
	want := *e.wanted.Load()
	var inForce *messages.Tuple
	if t := e.tree(); t != nil {
		inForce = t.Rules.Current()
	}
	var prior *rules.Set
	if inForce != nil {
		prior = inForce.Rules
	}
	loaded, rulesErr := loadRules(want.RulesPath, prior)
	compiled, policyErr := compilePolicy(want)
	if inForce == nil && (rulesErr != nil || policyErr != nil) {
		return nil, errors.Join(rulesErr, policyErr)
	}
	if rulesErr != nil && policyErr != nil {
		return nil, errors.Join(rulesErr, policyErr)
	}
	t := &messages.Tuple{}
	if rulesErr != nil {
		t.Rules, t.Scanner, t.Source = inForce.Rules, inForce.Scanner, inForce.Source
		before := inForce.Extra.(*policy)
		loaded.allow, loaded.own = before.allow, before.own
	} else {
		t.Rules, t.Scanner, t.Source = loaded.set, loaded.scanner, loaded.set.Pack().Source()
	}
	if policyErr != nil {
		compiled = inForce.Extra.(*policy)
	}
	t.Extra = &policy{source: compiled.source, acl: compiled.acl, profiles: compiled.profiles, allow: loaded.allow, own: loaded.own}
	t.Version = tupleVersion(t.Rules.Version(), compiled.source)
	return t, errors.Join(rulesErr, policyErr, ctx.Err())
}

func compilePolicy(want Policy) (*policy, error) {
	acl, err := rules.NewACL(want.AllowTools, want.DenyTools)
	if err != nil {
		return nil, err
	}
	profiles, err := compileProfiles(want.Default, want.Profiles)
	if err != nil {
		return nil, err
	}
	return &policy{source: want, acl: acl, profiles: profiles}, nil
}

// loadedRules is what a pack becomes.
type loadedRules struct {
	set     *rules.Set
	scanner *content.Scanner
	allow   allowScopes
	own     map[string]bool
}

// loadRules reads, compiles and tries a pack: one whose own tests fail is as
// little to be trusted as one that does not parse. What prior has compiled and the
// pack has not changed is taken over.
func loadRules(path string, prior *rules.Set) (loadedRules, error) {
	pack, err := rules.Load(path)
	if err != nil {
		return loadedRules{}, err
	}
	var l loadedRules
	if l.set, err = pack.Compile(append(RuleOptions(), rules.Reusing(prior))...); err != nil {
		return loadedRules{}, err
	}
	if report := l.set.Test(); !report.OK() {
		failed := []error{report.Err}
		for _, f := range report.Failed {
			failed = append(failed, errors.New(f.String()))
		}
		return loadedRules{}, fmt.Errorf("the tests of rule pack %q: %w", pack.Source(), errors.Join(failed...))
	}
	if l.scanner, err = compileDetectors(pack); err != nil {
		return loadedRules{}, err
	}
	if l.allow, err = compileAllowScopes(pack); err != nil {
		return loadedRules{}, err
	}
	l.own = detectorNames(pack)
	return l, nil
}

// tupleVersion identifies everything an exchange is decided by, so that an audit
// line says under which policy it was written.
func tupleVersion(rulesVersion string, p Policy) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%+v\x00%+v\x00%q\x00%q", rulesVersion, p.Default, p.Profiles, p.AllowTools, p.DenyTools)
	return rulesVersion + "+" + hex.EncodeToString(h.Sum(nil)[:4])
}

package sallyport

import (
	"fmt"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/rules"
)

// profiles resolves the verdict settings of an exchange. It is immutable.
type profiles struct {
	fallback decision.Profile
	scoped   []compiledProfile
}

type compiledProfile struct {
	services, routes rules.Globs
	profile          decision.Profile
}

func compileProfiles(fallback decision.Profile, scoped []ScopedProfile) (*profiles, error) {
	p := &profiles{fallback: fallback}
	if err := thresholdFault(fallback); err != nil {
		return nil, fmt.Errorf("default profile: %w", err)
	}
	for i, s := range scoped {
		if err := thresholdFault(s.Profile); err != nil {
			return nil, fmt.Errorf("profile %d %q: %w", i, s.Name, err)
		}
		services, err := rules.CompileGlobs(s.Services)
		if err != nil {
			return nil, fmt.Errorf("profile %d %q: services: %w", i, s.Name, err)
		}
		routes, err := rules.CompileGlobs(s.Routes)
		if err != nil {
			return nil, fmt.Errorf("profile %d %q: routes: %w", i, s.Name, err)
		}
		p.scoped = append(p.scoped, compiledProfile{services: services, routes: routes, profile: s.Profile})
	}
	return p, nil
}

// thresholdFault refuses thresholds that no score can reach or that every score does:
// the classifier would be off, or would refuse everything, without a word.
func thresholdFault(p decision.Profile) error {
	for name, v := range map[string]float64{"BlockAt": p.BlockAt, "ReviewAt": p.ReviewAt} {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%s is %v, must be from 0 to 1", name, v)
		}
	}
	if p.BlockAt > 0 && p.ReviewAt > p.BlockAt {
		return fmt.Errorf("ReviewAt, %v, is over BlockAt, %v", p.ReviewAt, p.BlockAt)
	}
	return nil
}

// of returns the profile of an exchange: the first whose service and route globs
// both match. A fanned-out exchange matches a service glob only if every one of
// its services does: a looser profile of one service must not decide about the
// others.
func (p *profiles) of(ex *decision.Exchange) *decision.Profile {
	for i := range p.scoped {
		c := &p.scoped[i]
		if matchesAll(c.services, ex.Services) && (c.routes.Empty() || c.routes.Match(ex.Route)) {
			return &c.profile
		}
	}
	return &p.fallback
}

func matchesAll(g rules.Globs, names []string) bool {
	if g.Empty() {
		return true
	}
	for _, n := range names {
		if !g.Match(n) {
			return false
		}
	}
	return len(names) > 0
}

package sallyport

import (
	"fmt"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/rules"
)

// allowScope is where an allow entry of a pack holds: for a service, for a tool, or
// everywhere when both are empty.
type allowScope struct{ service, tool rules.Globs }

func (a *allowScope) everywhere() bool { return a.service.Empty() && a.tool.Empty() }

func (a *allowScope) covers(services []string, tool string) bool {
	return matchesAll(a.service, services) && (a.tool.Empty() || a.tool.Match(tool))
}

// allowScopes are the scopes of a pack's allow entries, in the order in which they were
// compiled into the scanner.
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

// scannerFor returns the pack's scanner with the allow entries that hold for an
// exchange. A fanned-out exchange is in the scope of a service only if every one of its
// services is: what one service may send must not silence what another does.
func (all allowScopes) scannerFor(s *content.Scanner, services []string, tool string) *content.Scanner {
	if all == nil {
		return s
	}
	return s.Narrow(func(entry int) bool { return all[entry].covers(services, tool) })
}

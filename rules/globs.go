package rules

import (
	"fmt"

	"github.com/sallyport-mcp/sallyport/rules/toolglob"
)

// Globs matches a name against any of several globs, exactly as in packs: * and ? are wildcards, everything else is literal,
// letter case counts. The zero value is empty and matches nothing.
type Globs []*glob

// CompileGlobs compiles globs; one that toolglob.Check refuses is an error.
func CompileGlobs(patterns []string) (Globs, error) {
	out := make(Globs, 0, len(patterns))
	for _, text := range patterns {
		if err := toolglob.Check(text); err != nil {
			return nil, fmt.Errorf("glob: %w", err)
		}
		out = append(out, plainGlob(text))
	}
	return out, nil
}

// Empty reports whether there is no glob at all.
func (g Globs) Empty() bool { return len(g) == 0 }

// Match reports whether any of the globs matches name.
func (g Globs) Match(name string) bool {
	for _, one := range g {
		if one.match(name) {
			return true
		}
	}
	return false
}

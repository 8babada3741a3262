package rules

import "fmt"

// Globs matches a name against any of several globs, exactly as in packs: * and ? are wildcards, everything else is literal,
// letter case counts. The zero value is empty and matches nothing.
type Globs []*glob

// CompileGlobs compiles globs; an empty or over-long one is an error, and so are a class and a choice ([ab], {a,b}).
func CompileGlobs(patterns []string) (Globs, error) {
	out := make(Globs, 0, len(patterns))
	for _, text := range patterns {
		if text == "" || len(text) > maxPatternBytes {
			return nil, fmt.Errorf("a glob of %d bytes; 1 to %d are allowed", len(text), maxPatternBytes)
		}
		if err := foreignGlob(text); err != nil {
			return nil, err
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

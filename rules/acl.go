package rules

import (
	"fmt"
	"strings"

	"github.com/sallyport-mcp/sallyport/rules/toolglob"
)

// ACL says which tools may be called at all. A nil *ACL allows everything.
type ACL struct {
	allow []aclEntry
	deny  []aclEntry
	open  bool // no allow list was given
}

type aclEntry struct {
	service *glob // nil: any service
	tool    *glob
	whole   *glob // the entry read as one tool name, for names that contain a slash
}

// NewACL compiles globs on "tool" or "service/tool"; the first slash separates the two, and an entry without a slash holds for
// the tool on every service. Deny wins over allow, an empty allow list allows what is not denied, and letter case is ignored, so
// that a server which resolves names loosely is not a way around. Some servers put a slash into a tool's own name: a deny entry
// holds for the whole name as well; an allow entry does not, or a server could name its way in (write */fs/read for that).
// An entry that toolglob.Check refuses is an error, and so is one without a tool or with an empty service.
func NewACL(allow, deny []string) (*ACL, error) {
	a := &ACL{open: len(allow) == 0}
	var err error
	if a.allow, err = aclEntries("allow", allow); err != nil {
		return nil, err
	}
	if a.deny, err = aclEntries("deny", deny); err != nil {
		return nil, err
	}
	return a, nil
}

func aclEntries(list string, patterns []string) ([]aclEntry, error) {
	out := make([]aclEntry, 0, len(patterns))
	for _, text := range patterns {
		trimmed := strings.TrimSpace(text)
		service, tool, both := strings.Cut(trimmed, "/")
		if !both {
			service, tool = "*", trimmed
		}
		if service == "" || tool == "" {
			return nil, fmt.Errorf("%s list: %q is neither a tool nor service/tool", list, text)
		}
		if err := toolglob.Check(trimmed); err != nil {
			return nil, fmt.Errorf("%s list: %w", list, err)
		}
		e := aclEntry{tool: foldedGlob(tool)}
		if service != "*" {
			e.service = foldedGlob(service)
		}
		if both && list == "deny" {
			e.whole = foldedGlob(trimmed)
		}
		out = append(out, e)
	}
	return out, nil
}

func foldedGlob(text string) *glob { return plainGlob(strings.ToLower(text)) }

// plainGlob is newGlob for a text that may have no wildcard.
func plainGlob(text string) *glob {
	if !strings.ContainsAny(text, "*?") {
		return &glob{text: text, prefix: text}
	}
	return newGlob(text)
}

// Allowed reports whether the tool of the service may be called. Blanks around the names are ignored, as they are in the lists.
// Of a service that is not known ("") the stricter reading holds: what is denied anywhere is denied, and only what is allowed
// everywhere is allowed.
func (a *ACL) Allowed(service, tool string) bool {
	if a == nil {
		return true
	}
	service, tool = strings.ToLower(strings.TrimSpace(service)), strings.ToLower(strings.TrimSpace(tool))
	if anyEntry(a.deny, service, tool, service == "") {
		return false
	}
	return a.open || anyEntry(a.allow, service, tool, false)
}

// anyEntry reports whether an entry holds; with anyService one that names a service holds for every service.
func anyEntry(entries []aclEntry, service, tool string, anyService bool) bool {
	for _, e := range entries {
		if (anyService || e.service == nil || e.service.match(service)) && e.tool.match(tool) {
			return true
		}
		if e.whole != nil && e.whole.match(tool) {
			return true
		}
	}
	return false
}

package config

import (
	"bufio"
	"encoding/json/v2"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// defaultText is the default as the manual shows it.
func (r *Setting) defaultText() string {
	if r.Default != "" {
		return r.Default
	}
	return r.Unset
}

// Value is one setting in force, for printing.
type Value struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	// Text is the value with secrets hidden, "" when unset.
	Text string `json:"value"`
	// Origin is where it came from.
	Origin string `json:"origin"`
}

// Values lists the settings in force in the order of the table. Secrets are
// hidden.
func (s *Settings) Values() []Value {
	out := make([]Value, len(table))
	for i := range table {
		r := &table[i]
		out[i] = Value{Name: r.Name, Path: r.Path, Text: r.format(s), Origin: s.Origin(r.Name)}
	}
	return out
}

// MarshalJSON writes the settings in force as [Settings.Values] and the profiles,
// with secrets hidden.
func (s *Settings) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Settings []Value   `json:"settings"`
		Profiles []Profile `json:"profiles,omitempty"`
	}{s.Values(), s.Profiles})
}

// Print writes the settings in force as commented YAML: nested like the file that
// would give them, each line with its origin, unset ones commented out, secrets
// hidden.
func (s *Settings) Print(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# config: %s\n", orWord(s.Config, "none"))
	var printed []string
	for i := range table {
		r := &table[i]
		group, _, grouped := strings.Cut(r.Path, ".")
		if r.Path == "" || slices.Contains(printed, group) {
			continue
		}
		if !grouped {
			s.printLine(b, r, "", r.Path)
			continue
		}
		// The rows of a group may stand apart in the manual, but not in YAML.
		printed = append(printed, group)
		fmt.Fprintf(b, "%s:\n", group)
		for j := range table {
			if key, ok := strings.CutPrefix(table[j].Path, group+"."); ok {
				s.printLine(b, &table[j], "  ", key)
			}
		}
	}
	s.printProfiles(b)
	return b.Flush()
}

func (s *Settings) printLine(w io.Writer, r *Setting, indent, key string) {
	text := r.format(s)
	switch {
	case r.Kind.secret() && text != "":
		fmt.Fprintf(w, "%s# %s: %s  # %s\n", indent, key, text, s.Origin(r.Name))
	case r.Kind.list() && !r.Kind.secret():
		fmt.Fprintf(w, "%s%s: %s  # %s\n", indent, key, yamlList(*r.ptr(s).(*[]string)), s.Origin(r.Name))
	case text == "":
		fmt.Fprintf(w, "%s# %s:  # %s\n", indent, key, orWord(r.Unset, "unset"))
	default:
		fmt.Fprintf(w, "%s%s: %s  # %s\n", indent, key, r.yaml(text), s.Origin(r.Name))
	}
}

func (s *Settings) printProfiles(w io.Writer) {
	if len(s.Profiles) == 0 {
		return
	}
	fmt.Fprintln(w, "profiles:")
	for _, p := range s.Profiles {
		fmt.Fprintf(w, "  - name: %q\n", p.Name)
		if len(p.Services) > 0 {
			fmt.Fprintf(w, "    service: %s\n", yamlList(p.Services))
		}
		if len(p.Routes) > 0 {
			fmt.Fprintf(w, "    route: %s\n", yamlList(p.Routes))
		}
		fmt.Fprintln(w, "    set:")
		for _, name := range slices.Sorted(maps.Keys(p.Overrides)) {
			r := index[name]
			group, key, grouped := strings.Cut(r.Path, ".")
			if grouped {
				fmt.Fprintf(w, "      %s: {%s: %s}\n", group, key, r.yaml(p.Overrides[name]))
			} else {
				fmt.Fprintf(w, "      %s: %s\n", r.Path, r.yaml(p.Overrides[name]))
			}
		}
	}
}

// yaml writes the text of a scalar so that YAML reads the same text back.
func (r *Setting) yaml(text string) string {
	if r.Kind.number() || r.Kind == Bool || r.Kind == Enum {
		return text
	}
	return fmt.Sprintf("%q", text)
}

func yamlList(items []string) string {
	quoted := make([]string, len(items))
	for i, v := range items {
		quoted[i] = fmt.Sprintf("%q", v)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func orWord(text, word string) string {
	if text == "" {
		return word
	}
	return text
}

// Markdown writes the table of settings for the manual.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| environment | YAML path | flag | default | accepted | reload | meaning |\n|---|---|---|---|---|---|---|\n")
	for i := range table {
		r := &table[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n",
			names(r), code(r.Path), flagText(r.Flag), cell(defaultCell(r)), cell(accepted(r)), yes(r.Reloadable), cell(r.Doc))
	}
	return b.String()
}

func names(r *Setting) string {
	out := code(r.Name)
	for _, n := range append([]string{r.FileName()}, r.Aliases...) {
		if n != "" {
			out += ", " + code(n)
		}
	}
	return out
}

func defaultCell(r *Setting) string {
	switch {
	case r.Default != "":
		return code(r.Default)
	case r.Unset != "":
		return r.Unset
	}
	return "empty"
}

func accepted(r *Setting) string {
	switch rng := r.Range(); {
	case rng == "":
		return r.Kind.String()
	case r.Kind == Enum:
		return rng
	default:
		return r.Kind.String() + ", " + rng
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func flagText(f string) string {
	if f == "" {
		return ""
	}
	return code("--" + f)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// cell keeps a text from ending a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

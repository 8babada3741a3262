package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFile bounds a configuration or secret file, in bytes.
const maxFile = 1 << 20

// leaf is one value of the file with its place.
type leaf struct {
	value any // string or []string
	where string
}

// document is a configuration file taken apart: leaves by dotted path and the
// profiles, which are not settings.
type document struct {
	leaves   map[string]leaf
	profiles []Profile
}

// parseFile reads a YAML configuration. Only mappings, sequences of scalars and
// scalars are settings; whatever is not in the table is a problem.
func parseFile(name string, data []byte, problems *Problems) document {
	doc := document{leaves: map[string]leaf{}}
	if len(data) > maxFile {
		problems.add(name, "", "is over %d bytes", maxFile)
		return doc
	}
	if len(bytes.TrimSpace(data)) == 0 {
		// A file that is being written, or a template of which nothing came: what it denied would be allowed.
		problems.add(name, "", "is empty; a file that sets nothing holds {}")
		return doc
	}
	file, err := parser.ParseBytes(bytes.TrimPrefix(data, []byte("\ufeff")), 0)
	if err != nil {
		problems.add(syntaxPlace(name, err), "", "%s", syntaxMessage(err))
		return doc
	}
	r := reader{name: name, problems: problems, doc: &doc}
	bodies := 0
	for _, d := range file.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType || d.Body.Type() == ast.NullType {
			continue
		}
		if bodies++; bodies > 1 {
			problems.add(r.place(d.Body), "", "holds a second YAML document")
			break
		}
		r.mapping("", d.Body)
	}
	return doc
}

// place returns file:line:column.
func (r *reader) place(n ast.Node) string { return tokenPlace(r.name, n.GetToken()) }

func tokenPlace(name string, t *token.Token) string {
	if t == nil || t.Position == nil {
		return name
	}
	return fmt.Sprintf("%s:%d:%d", name, t.Position.Line, t.Position.Column)
}

func syntaxPlace(name string, err error) string {
	var e yaml.Error
	if errors.As(err, &e) {
		return tokenPlace(name, e.GetToken())
	}
	return name
}

func syntaxMessage(err error) string {
	var e yaml.Error
	if errors.As(err, &e) {
		return e.GetMessage()
	}
	return err.Error()
}

type reader struct {
	name     string
	problems *Problems
	doc      *document
}

// sections are the inner paths of the file, filePaths its leaves.
var sections, filePaths = func() (map[string]bool, map[string]*Setting) {
	inner, leaves := map[string]bool{}, map[string]*Setting{}
	for i := range table {
		r := &table[i]
		if r.Path == "" {
			continue
		}
		leaves[r.Path] = r
		if f := r.filePath(); f != "" {
			leaves[f] = r
		}
		if group, _, ok := strings.Cut(r.Path, "."); ok {
			inner[group] = true
		}
	}
	return inner, leaves
}()

func (r *reader) mapping(prefix string, n ast.Node) {
	for _, pair := range r.pairs(prefix, n) {
		key := pair.Key.GetToken().Value
		path := strings.TrimPrefix(prefix+"."+key, ".")
		switch {
		case strings.Contains(key, "."):
			r.problems.add(r.place(pair.Key), "", "key %q holds a dot: groups are nested mappings", key)
		case path == "profiles":
			r.doc.profiles = r.profiles(pair.Value)
		case sections[path]:
			r.mapping(path, pair.Value)
		case filePaths[path] != nil:
			if v, ok := r.value(filePaths[path].Name, pair.Value); ok {
				r.doc.leaves[path] = leaf{value: v, where: r.place(pair.Key)}
			}
		default:
			r.problems.add(r.place(pair.Key), "", "unknown setting %q%s", path, suggest(path))
		}
	}
}

// pairs returns the entries of a mapping; aliases and merges are refused because a
// setting must stand where it is read.
func (r *reader) pairs(path string, n ast.Node) []*ast.MappingValueNode {
	var pairs []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		pairs = m.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{m}
	case *ast.NullNode:
		return nil
	default:
		if path == "" {
			r.problems.add(r.place(n), "", "the file is not a mapping")
		} else {
			r.problems.add(r.place(n), "", "%s is not a mapping: it holds %s", path, members(path))
		}
		return nil
	}
	kept := pairs[:0:0]
	for _, p := range pairs {
		if p.Key.IsMergeKey() {
			r.problems.add(r.place(p.Key), "", "merge keys are not supported")
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// value reads a scalar or a sequence of scalars as text.
func (r *reader) value(setting string, n ast.Node) (any, bool) {
	if seq, ok := n.(*ast.SequenceNode); ok {
		items := []string{}
		for _, item := range seq.Values {
			text, ok := scalar(item)
			if !ok {
				r.problems.add(r.place(item), setting, "the list holds something that is not a plain value")
				return nil, false
			}
			items = append(items, text)
		}
		if !index[setting].Kind.list() {
			r.problems.add(r.place(n), setting, "is not a list")
			return nil, false
		}
		return items, true
	}
	text, ok := scalar(n)
	if !ok {
		r.problems.add(r.place(n), setting, "%s", notScalar(n))
	}
	return text, ok
}

// notScalar says what stands where a value should.
func notScalar(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "has no value"
	case *ast.AnchorNode, *ast.AliasNode:
		return "has an anchor or an alias, which are not supported"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "is a mapping, want a plain value or a list"
	}
	return "has no plain value"
}

// members lists the settings of a group, as they are written under its name.
func members(group string) string {
	var names []string
	for i := range table {
		if name, ok := strings.CutPrefix(table[i].Path, group+"."); ok {
			names = append(names, name)
		}
	}
	if names == nil { // a profile's place in the file
		return "settings"
	}
	return strings.Join(names, ", ")
}

// scalar returns the text of a scalar as it stands in the file.
func scalar(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// suggest names the known path that differs from an unknown one only in case, in
// dashes or in grouping, because that is the usual mistake.
func suggest(path string) string {
	plain := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(s))
	}
	for i := range table {
		if p := table[i].Path; p != "" && plain(p) == plain(path) {
			return fmt.Sprintf(" (did you mean %q?)", p)
		}
	}
	return ""
}

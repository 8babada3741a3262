package rules

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of one pack file. They are checked before or while the YAML is read, so that a hostile file costs milliseconds.
const (
	maxFileBytes   = 1 << 20 // bytes of one file; a thousand rules take a fifth of it
	maxTokens      = 200_000 // YAML tokens of one file
	maxDepth       = 32      // nesting of one file; the deepest rule needs 9
	maxMappingKeys = 512     // keys of one mapping; the YAML parser compares every pair of them
	maxNodes       = 200_000 // nodes after aliases are expanded
	maxAnchors     = 64
)

type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	intNode
	floatNode
	stringNode
	listNode
	mapNode
)

func (k nodeKind) String() string {
	return [...]string{"null", "a boolean", "an integer", "a number", "a string", "a list", "a mapping"}[k]
}

type scalarStyle uint8

const (
	plainScalar scalarStyle = iota
	quotedScalar
	literalScalar // "|": line breaks kept
	foldedScalar  // ">" and anything whose source columns cannot be told
)

// node is one YAML value, reduced to what packs may contain.
type node struct {
	kind  nodeKind
	pos   Position
	text  string // scalars: the value; for booleans and numbers the source text
	style scalarStyle
	keys  []*node // mappings: parallel to items
	items []*node
}

// readNodes parses one YAML document into nodes. The error is always Errors.
func readNodes(file string, data []byte) (*node, error) {
	r := &reader{file: file}
	root := r.read(data)
	if err := r.problems.err(); err != nil {
		return nil, err
	}
	return root, nil
}

type reader struct {
	problems
	file     string
	anchors  map[string]*node
	anchored int
	nodes    int
	over     bool
}

func (r *reader) at(line, column int) Position {
	return Position{File: r.file, Line: line, Column: column}
}

func (r *reader) pos(tk *token.Token) Position {
	if tk == nil || tk.Position == nil {
		return Position{File: r.file, Line: 1, Column: 1}
	}
	return r.at(tk.Position.Line, tk.Position.Column)
}

func (r *reader) read(data []byte) (root *node) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors put it there, and nobody sees it
	if !r.checkBytes(data) {
		return nil
	}
	// The YAML library is handed bytes from a file an operator may not have written; a panic in it is one more syntax error.
	defer func() {
		if reason := recover(); reason != nil {
			r.add(r.at(1, 1), "not readable as YAML")
			root = nil
		}
	}()
	tokens := lexer.Tokenize(string(data))
	if !r.checkTokens(tokens) {
		return nil
	}
	doc, err := parser.Parse(tokens, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			r.add(r.pos(syntax.GetToken()), "%s", syntax.GetMessage())
		} else {
			r.add(r.at(1, 1), "not readable as YAML")
		}
		return nil
	}
	var bodies []ast.Node
	for _, d := range doc.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch len(bodies) {
	case 0:
		r.add(r.at(1, 1), "the file is empty; a pack begins with version: 1")
		return nil
	case 1:
		return r.node(bodies[0], 0)
	default:
		r.add(r.pos(bodies[1].GetToken()), "a second YAML document; a pack file holds one")
		return nil
	}
}

func (r *reader) checkBytes(data []byte) bool {
	if len(data) > maxFileBytes {
		r.add(Position{File: r.file}, "%d bytes; a pack file holds at most %d", len(data), maxFileBytes)
		return false
	}
	line, column := 1, 1
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			r.add(r.at(line, column), "not valid UTF-8")
			return false
		case c < 0x20 && c != '\n' && c != '\r' && c != '\t', c == 0x7f, c == '\u2028', c == '\u2029', c == 0x85:
			r.add(r.at(line, column), "control character U+%04X", c)
			return false
		case c == '\n':
			line, column = line+1, 0
		}
		i, column = i+size, column+1
	}
	return true
}

// checkTokens bounds depth and mapping sizes before the recursive parser sees them.
func (r *reader) checkTokens(tokens token.Tokens) bool {
	if len(tokens) > maxTokens {
		r.add(Position{File: r.file}, "%d YAML tokens; a pack file holds at most %d", len(tokens), maxTokens)
		return false
	}
	type level struct{ column, keys int }
	var flow []level
	var block []level
	line := 0
	for _, tk := range tokens {
		first := tk.Position.Line != line
		line = tk.Position.Line
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow = append(flow, level{})
		case token.MappingEndType, token.SequenceEndType:
			if len(flow) > 0 {
				flow = flow[:len(flow)-1]
			}
		case token.MappingValueType:
			if len(flow) > 0 {
				flow[len(flow)-1].keys++
				if flow[len(flow)-1].keys > maxMappingKeys {
					r.add(r.pos(tk), "a mapping with more than %d keys", maxMappingKeys)
					return false
				}
			}
		}
		if len(flow) == 0 && (first || tk.Type == token.SequenceEntryType || tk.Type == token.MappingKeyType) {
			for len(block) > 0 && block[len(block)-1].column > tk.Position.Column {
				block = block[:len(block)-1]
			}
			if len(block) == 0 || block[len(block)-1].column < tk.Position.Column {
				block = append(block, level{column: tk.Position.Column})
			}
			if tk.Type != token.SequenceEntryType {
				block[len(block)-1].keys++
				if block[len(block)-1].keys > maxMappingKeys && tk.Next != nil && tk.Next.Type == token.MappingValueType {
					r.add(r.pos(tk), "a mapping with more than %d keys", maxMappingKeys)
					return false
				}
			}
		}
		if len(flow)+len(block) > maxDepth {
			r.add(r.pos(tk), "nested deeper than %d levels", maxDepth)
			return false
		}
	}
	return true
}

func (r *reader) node(n ast.Node, depth int) *node {
	tk := n.GetToken()
	out := &node{pos: r.pos(tk)}
	r.nodes++
	switch {
	case depth > maxDepth:
		r.refuse(out.pos, "nested deeper than %d levels", maxDepth)
		return out
	case r.nodes > maxNodes:
		r.refuse(out.pos, "more than %d values once its aliases are expanded", maxNodes)
		return out
	}
	switch v := n.(type) {
	case *ast.NullNode:
		out.kind = nullNode
	case *ast.BoolNode:
		out.kind, out.text = boolNode, fmt.Sprint(v.Value)
	case *ast.IntegerNode:
		out.kind, out.text = intNode, fmt.Sprint(v.Value)
	case *ast.FloatNode:
		out.kind, out.text = floatNode, fmt.Sprint(v.Value)
	case *ast.InfinityNode, *ast.NanNode:
		r.add(out.pos, "not a finite number")
	case *ast.StringNode:
		out.kind, out.text = stringNode, v.Value
		if tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType {
			out.style = quotedScalar
		}
		if strings.Contains(strings.TrimSpace(tk.Origin), "\n") {
			out.style = foldedScalar
		}
	case *ast.LiteralNode:
		out.kind, out.text, out.style = stringNode, v.Value.Value, foldedScalar
		if v.Start != nil && v.Start.Type == token.LiteralType {
			out.style = literalScalar
		}
	case *ast.SequenceNode:
		out.kind = listNode
		for _, item := range v.Values {
			out.items = append(out.items, r.node(item, depth+1))
			if r.over {
				return out
			}
		}
	case *ast.MappingNode:
		r.mapping(out, v.Values, depth)
	case *ast.MappingValueNode:
		r.mapping(out, []*ast.MappingValueNode{v}, depth)
	case *ast.AnchorNode:
		return r.anchor(v, depth)
	case *ast.AliasNode:
		return r.alias(v, out)
	case *ast.TagNode:
		r.add(out.pos, "YAML tags are not allowed; quote a value that begins with an exclamation mark")
	default:
		r.add(out.pos, "this YAML construct is not allowed in a pack")
	}
	return out
}

func (r *reader) refuse(pos Position, format string, args ...any) {
	if !r.over {
		r.add(pos, format, args...)
	}
	r.over = true
}

func (r *reader) mapping(out *node, values []*ast.MappingValueNode, depth int) {
	out.kind = mapNode
	for i, mv := range values {
		if r.over {
			return
		}
		if mk, ok := mv.Key.(*ast.MergeKeyNode); ok {
			r.add(r.pos(mk.GetToken()), "merge keys are not allowed in a pack")
			continue
		}
		key, ok := mv.Key.(ast.Node)
		if mk, isKey := mv.Key.(*ast.MappingKeyNode); isKey {
			key, ok = mk.Value, true
		}
		if !ok || key == nil {
			r.add(r.pos(mv.GetToken()), "a key must be a string")
			continue
		}
		k := r.node(key, depth+1)
		if k.kind == listNode || k.kind == mapNode {
			r.add(k.pos, "a key must be a string, not %s", k.kind)
			continue
		}
		if k.kind != stringNode { // yes, 8080 and null are fine names of arguments
			k.text = key.GetToken().Value
		}
		if i == 0 {
			out.pos = k.pos
		}
		var value *node
		if mv.Value == nil {
			value = &node{pos: k.pos}
		} else {
			value = r.node(mv.Value, depth+1)
		}
		if value.kind == nullNode && value.pos.Line == 0 {
			value.pos = k.pos
		}
		out.keys, out.items = append(out.keys, k), append(out.items, value)
	}
}

func (r *reader) anchor(v *ast.AnchorNode, depth int) *node {
	if r.anchored++; r.anchored > maxAnchors {
		r.refuse(r.pos(v.GetToken()), "more than %d anchors", maxAnchors)
		return &node{pos: r.pos(v.GetToken())}
	}
	if v.Value == nil || v.Name == nil {
		r.add(r.pos(v.GetToken()), "an anchor without a value")
		return &node{pos: r.pos(v.GetToken())}
	}
	// Registered after its value is read: an alias inside its own anchor is unknown, so no value contains itself.
	value := r.node(v.Value, depth)
	if r.anchors == nil {
		r.anchors = map[string]*node{}
	}
	r.anchors[v.Name.GetToken().Value] = value
	return value
}

func (r *reader) alias(v *ast.AliasNode, out *node) *node {
	if v.Value == nil {
		r.add(out.pos, "an alias without a name")
		return out
	}
	name := v.Value.GetToken().Value
	target, ok := r.anchors[name]
	if !ok {
		r.add(out.pos, "unknown alias %q", name)
		return out
	}
	// The copy is shared, not made; what it would cost to walk is still charged, so that a bomb is refused.
	r.nodes += target.size(maxNodes)
	if r.nodes > maxNodes {
		r.refuse(out.pos, "more than %d values once its aliases are expanded", maxNodes)
	}
	return target
}

// size counts the nodes under n, giving up above limit.
func (n *node) size(limit int) int {
	total := 1
	for _, list := range [...][]*node{n.keys, n.items} {
		for _, item := range list {
			if total > limit {
				return total
			}
			total += item.size(limit - total)
		}
	}
	return total
}

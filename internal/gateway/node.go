package gateway

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// oneLine is a parser's error as line:column: message. By itself it draws a picture
// of the file.
func oneLine(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return err
	}
	if t := e.GetToken(); t != nil && t.Position != nil {
		return fmt.Errorf("%d:%d: %s", t.Position.Line, t.Position.Column, e.GetMessage())
	}
	return errors.New(e.GetMessage())
}

// words are the entries of a list in lower case.
func words(n ast.Node) []string {
	list, _ := unwrap(n).(*ast.SequenceNode)
	if list == nil {
		return nil
	}
	out := make([]string, 0, len(list.Values))
	for _, v := range list.Values {
		out = append(out, strings.ToLower(text(v)))
	}
	return out
}

// members returns the entries of a mapping, nil for anything else.
func members(n ast.Node) []*ast.MappingValueNode {
	switch m := unwrap(n).(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	}
	return nil
}

// member returns the value of a mapping's entry, nil when there is none.
func member(n ast.Node, name string) ast.Node {
	for _, m := range members(n) {
		if key(m) == name {
			return unwrap(m.Value)
		}
	}
	return nil
}

// unwrap steps through anchors and tags.
func unwrap(n ast.Node) ast.Node {
	for {
		switch w := n.(type) {
		case *ast.AnchorNode:
			n = w.Value
		case *ast.TagNode:
			n = w.Value
		default:
			return n
		}
	}
}

func key(m *ast.MappingValueNode) string { return text(m.Key) }

// text is the content of a scalar, "" for anything else.
func text(n ast.Node) string {
	switch s := unwrap(n).(type) {
	case *ast.StringNode:
		return s.Value
	case *ast.LiteralNode:
		return s.Value.Value
	case ast.ScalarNode:
		return s.GetToken().Value
	}
	return ""
}

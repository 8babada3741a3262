package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json/jsontext"
	"fmt"
	"slices"
)

// ToolDef is one definition of a tools/list result.
type ToolDef struct {
	// Index is the position in the tools array.
	Index int
	// Name is the name as the client sees it, "" when the definition has no string of that name.
	Name string
	// Start and End span the definition in [Document.Raw].
	Start, End int

	doc   *Document
	array int32 // the container of the list

	nameStart, nameEnd int     // span the value of the name in the same bytes; both 0 without one
	renamed            *string // the name it is read under, nil for its own
}

// Renamed returns the definition as it reads under another name: a gateway that merges lists puts the target in
// front of every name, and the definition behind it is still the same. What it spans stays as it was received.
// A definition without a name stays without one.
func (t ToolDef) Renamed(name string) ToolDef {
	if t.nameEnd > 0 {
		t.Name, t.renamed = name, &name
	}
	return t
}

// text is the definition as JSON, in memory of its own.
func (t ToolDef) text() ([]byte, error) {
	body := t.doc.body
	if t.renamed == nil {
		return bytes.Clone(body[t.Start:t.End]), nil
	}
	text, err := jsontext.AppendQuote(bytes.Clone(body[t.Start:t.nameStart]), *t.renamed)
	if err != nil {
		return nil, fmt.Errorf("rename tool definition %d: %w", t.Index, err)
	}
	return append(text, body[t.nameEnd:t.End]...), nil
}

// Tools returns the definitions of a tools/list result in order. An element that is no object or holds no
// string at all is not a definition.
func (d *Document) Tools() []ToolDef { return slices.Clone(d.tools) }

// nameTools fills in the names of the definitions.
func (d *Document) nameTools() {
	if len(d.tools) == 0 {
		return
	}
	byIndex := make(map[int32]int, len(d.tools))
	for i := range d.tools {
		byIndex[int32(d.tools[i].Index)] = i
	}
	for i := range d.strings {
		s := &d.strings[i]
		if s.Key || s.Host >= 0 || s.container < 0 || s.name < 0 || d.contexts[s.container] != ctxTool {
			continue
		}
		if d.strings[s.name].Text == "name" {
			if t, ok := byIndex[d.toolOf[s.container]]; ok {
				d.tools[t].Name, d.tools[t].nameStart, d.tools[t].nameEnd = s.Text, s.Start, s.End
			}
		}
	}
}

// Canonical returns the definition in the canonical form of RFC 8785: equal for definitions that differ only
// in member order, white space or the spelling of escapes and numbers.
func (t ToolDef) Canonical() ([]byte, error) {
	text, err := t.text()
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("canonicalise tool definition %d: %w", t.Index, err)
	}
	return v, nil
}

// Hash returns the lower-case hex SHA-256 of the canonical form, which is the identity that pins compare.
func (t ToolDef) Hash() (string, error) {
	c, err := t.Canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(c)
	return hex.EncodeToString(sum[:]), nil
}

// Fields returns, by top-level member name, the lower-case hex SHA-256 of the canonical form of each member,
// so that drift can be told by field without keeping the text.
func (t ToolDef) Fields() (map[string]string, error) {
	text, err := t.text()
	if err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	fields := make(map[string]string)
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("read tool definition %d: %w", t.Index, err)
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("read tool definition %d: %w", t.Index, err)
		}
		key := name.String()
		val, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("read tool definition %d: %w", t.Index, err)
		}
		val = val.Clone()
		if err := val.Canonicalize(); err != nil {
			return nil, fmt.Errorf("canonicalise tool definition %d: %w", t.Index, err)
		}
		sum := sha256.Sum256(val)
		fields[key] = hex.EncodeToString(sum[:])
	}
	return fields, nil
}

package content

import (
	"bytes"
	"encoding/json/jsontext"
	"math"
	"strconv"
)

// Value returns the value that the member names lead to from the top of the body, decoded for CEL:
// map[string]any, []any, string, bool or nil; a number is an int64 when its text is a whole number that fits,
// else a float64, and one that float64 cannot hold keeps its text. A missing member is nil.
func (d *Document) Value(names ...string) any {
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.body))
	for _, want := range names {
		if dec.PeekKind() != '{' || !seek(dec, want) {
			return nil
		}
	}
	v, err := decodeAny(dec)
	if err != nil {
		// The body parsed once already.
		return nil
	}
	return v
}

// seek enters the object that follows and stops before the value of the member called want.
func seek(dec *jsontext.Decoder, want string) bool {
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if name.String() == want {
			return true
		}
		if err := dec.SkipValue(); err != nil {
			return false
		}
	}
	return false
}

func decodeAny(dec *jsontext.Decoder) (any, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case '{':
		m := map[string]any{}
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			if m[key], err = decodeAny(dec); err != nil {
				return nil, err
			}
		}
		_, err := dec.ReadToken()
		return m, err
	case '[':
		l := []any{}
		for dec.PeekKind() != ']' {
			v, err := decodeAny(dec)
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		_, err := dec.ReadToken()
		return l, err
	case '"':
		return tok.String(), nil
	case 't', 'f':
		return tok.Bool(), nil
	case '0':
		return decodeNumber(tok.String()), nil
	}
	return nil, nil
}

func decodeNumber(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) {
		return f
	}
	return text
}

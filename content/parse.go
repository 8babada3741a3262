package content

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// frame is an object or array that is open while parsing.
type frame struct {
	node   int32 // index into containers, -1 while no string was seen inside
	name   int32
	elem   int32
	next   int32 // index of the next element
	start  int
	object bool
	card   bool // the member name announces a card or account number
}

// Parse reads one JSON value strictly: unique names (compared after unescaping), valid UTF-8, no lone
// surrogates, nothing before or after the value, within the limits. The error is always a *[ParseError].
// The document keeps body: the caller must not modify it afterwards.
func Parse(body []byte, lim Limits) (*Document, error) {
	lim = lim.withDefaults()
	switch {
	case len(body) == 0:
		return nil, &ParseError{Kind: KindEmpty, Offset: 0}
	case len(body) > lim.MaxBytes:
		return nil, &ParseError{Kind: KindTooLarge, Offset: int64(lim.MaxBytes)}
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return nil, &ParseError{Kind: KindBOM, Offset: 0}
	}
	d := &Document{raw: string(body), body: body, limits: lim}
	// Two quotes make a string; escaped ones make the estimate a little too large.
	d.strings = make([]String, 0, min(bytes.Count(body, []byte{'"'})/2, lim.MaxStrings))
	if err := d.parse(d.raw, body, -1, lim.MaxDepth, lim.MaxStrings); err != nil {
		return nil, err
	}
	d.embed()
	return d, nil
}

// valid parses a body for its validity alone, with the same strictness.
func valid(body []byte, lim Limits) error {
	d := &Document{raw: string(body), body: body, limits: lim}
	if err := d.parse(d.raw, body, -1, lim.MaxDepth, lim.MaxStrings); err != nil {
		return err
	}
	return nil
}

// parse adds the strings of one JSON text to the document. src and buf are the same bytes; host is the string
// whose text it is, or -1 for the body.
func (d *Document) parse(src string, buf []byte, host int, maxDepth, maxStrings int) *ParseError {
	// An embedded document only has to be found, so it may repeat names; the body may not.
	dec := jsontext.NewDecoder(bytes.NewBuffer(buf), jsontext.AllowDuplicateNames(host >= 0))
	first := len(d.strings)
	var stack []frame
	name := int32(-1)
	sensitive := false // the pending member name announces a card or account number
	for {
		kind := dec.PeekKind()
		var top *frame
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		elem := int32(-1)
		if top != nil && !top.object && kind != ']' {
			elem = top.next
			top.next++
		}
		switch kind {
		case '"':
			val, err := dec.ReadValue()
			if err != nil {
				return d.syntax(dec, err, src, host)
			}
			if len(d.strings)-first >= maxStrings {
				return &ParseError{Kind: KindTooManyStrings, Offset: dec.InputOffset()}
			}
			end := int(dec.InputOffset())
			start := end - len(val)
			s := String{Text: unquote(src[start:end]), Start: start, End: end, Host: host,
				container: d.materialise(stack, host), name: -1, element: elem}
			if top != nil && top.object && name < 0 {
				s.Key = true
				d.strings = append(d.strings, s)
				name = int32(len(d.strings) - 1)
				sensitive = numberKey(s.Text)
				continue
			}
			s.name = name
			d.strings = append(d.strings, s)
			name = -1
		case '{', '[':
			if _, err := dec.ReadToken(); err != nil {
				return d.syntax(dec, err, src, host)
			}
			if len(stack) >= maxDepth {
				return &ParseError{Kind: KindTooDeep, Offset: dec.InputOffset() - 1}
			}
			stack = append(stack, frame{node: -1, name: name, elem: elem, start: int(dec.InputOffset()) - 1,
				object: kind == '{', card: name >= 0 && sensitive})
			name = -1
			continue
		case '}', ']':
			if _, err := dec.ReadToken(); err != nil {
				return d.syntax(dec, err, src, host)
			}
			if top.node >= 0 {
				d.containers[top.node].end = int(dec.InputOffset())
			}
			stack = stack[:len(stack)-1]
			name = -1
		case '0':
			val, err := dec.ReadValue()
			if err != nil {
				return d.syntax(dec, err, src, host)
			}
			end := int(dec.InputOffset())
			if name >= 0 && sensitive {
				d.numbers = append(d.numbers, number{name: name, start: end - len(val), end: end})
			} else if top != nil && !top.object && top.card {
				d.numbers = append(d.numbers, number{name: top.name, start: end - len(val), end: end})
			}
			name = -1
		default:
			// Literals; and whatever is wrong, which ReadToken explains.
			if _, err := dec.ReadToken(); err != nil {
				return d.syntax(dec, err, src, host)
			}
			name = -1
		}
		if len(stack) == 0 {
			break
		}
	}
	rest := strings.TrimLeft(src[dec.InputOffset():], " \t\r\n")
	if rest != "" {
		return &ParseError{Kind: KindTrailingData, Offset: int64(len(src) - len(rest))}
	}
	if host < 0 {
		d.top = strings.TrimLeft(src, " \t\r\n")[0]
	}
	return nil
}

// materialise records the open containers and returns the index of the innermost, -1 at the top.
func (d *Document) materialise(stack []frame, host int) int32 {
	n := len(stack)
	if n == 0 {
		return -1
	}
	if stack[n-1].node >= 0 {
		return stack[n-1].node
	}
	i := n - 1
	for i > 0 && stack[i-1].node < 0 {
		i--
	}
	for ; i < n; i++ {
		parent := int32(-1)
		if i > 0 {
			parent = stack[i-1].node
		}
		f := &stack[i]
		f.node = int32(len(d.containers))
		d.containers = append(d.containers, container{parent: parent, name: f.name, element: f.elem,
			host: int32(host), start: f.start, object: f.object})
	}
	return stack[n-1].node
}

// notEmbedded says that the text of a string is no JSON document. Nobody reads why.
var notEmbedded = &ParseError{Kind: KindSyntax, Offset: -1}

// syntax turns a decoder error into ours.
func (d *Document) syntax(dec *jsontext.Decoder, err error, src string, host int) *ParseError {
	if host >= 0 {
		return notEmbedded
	}
	e := &ParseError{Kind: KindSyntax, Offset: dec.InputOffset(), err: err}
	var se *jsontext.SyntacticError
	if errors.As(err, &se) {
		e.Offset, e.Pointer = se.ByteOffset, string(se.JSONPointer)
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Kind = KindDuplicateName
	case !utf8.ValidString(src):
		e.Kind = KindInvalidUTF8
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Kind = KindTruncated
		if strings.Trim(src, " \t\r\n") == "" {
			e.Kind = KindEmpty
		}
	case strings.Contains(err.Error(), "surrogate"):
		// A lone surrogate is the escaped spelling of text that no UTF-8 can carry.
		e.Kind = KindInvalidUTF8
	case strings.Contains(err.Error(), "exceeded max depth"):
		e.Kind = KindTooDeep
	}
	return e
}

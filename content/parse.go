package content

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

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
	// A container is recorded when there is a string in it, so there are hardly more of them than strings.
	d.containers = make([]container, 0, min(cap(d.strings), bytes.Count(body, []byte{'{'})+bytes.Count(body, []byte{'['})))
	if err := d.parse(new(jsontext.Decoder), d.raw, body, -1, lim.MaxDepth, lim.MaxStrings); err != nil {
		return nil, err
	}
	d.embed()
	return d, nil
}

// valid parses a body for its validity alone, with the same strictness.
func valid(body []byte, lim Limits) error {
	d := &Document{raw: string(body), body: body, limits: lim}
	if err := d.parse(new(jsontext.Decoder), d.raw, body, -1, lim.MaxDepth, lim.MaxStrings); err != nil {
		return err
	}
	return nil
}

// parse adds the strings of one JSON text to the document. src and buf are the same bytes; host is the string
// whose text it is, or -1 for the body. The decoder reads the text as a whole, which is what it does fastest, and what it
// took is then walked without a second check.
func (d *Document) parse(dec *jsontext.Decoder, src string, buf []byte, host int, maxDepth, maxStrings int) *ParseError {
	// An embedded document only has to be found, so it may repeat names; the body may not.
	dec.Reset(bytes.NewBuffer(buf), jsontext.AllowDuplicateNames(host >= 0))
	if _, err := dec.ReadValue(); err != nil {
		return d.syntax(dec, err, src, host)
	}
	end := int(dec.InputOffset())
	if rest := strings.TrimLeft(src[end:], jsonBlanks); rest != "" {
		return &ParseError{Kind: KindTrailingData, Offset: int64(len(src) - len(rest))}
	}
	w := walker{doc: d, src: src[:end], host: host, first: len(d.strings), maxDepth: maxDepth, maxStrings: maxStrings}
	if err := w.walk(); err != nil {
		return err
	}
	if host < 0 {
		d.top = strings.TrimLeft(src, jsonBlanks)[0]
	}
	return nil
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
		if strings.Trim(src, jsonBlanks) == "" {
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

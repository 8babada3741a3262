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
	w := newWalker(d)
	defer w.release()
	if err := w.walk(d.raw, -1, lim.MaxDepth, lim.MaxStrings); err != nil {
		return nil, d.refused(err)
	}
	d.top = d.raw[skipBlanks(d.raw, 0)]
	d.embed(w)
	return d, nil
}

// valid parses a body for its validity alone, with the same strictness.
func valid(body []byte, lim Limits) error {
	d := &Document{raw: string(body), body: body, limits: lim}
	w := newWalker(d)
	defer w.release()
	if err := w.walk(d.raw, -1, lim.MaxDepth, lim.MaxStrings); err != nil {
		return d.refused(err)
	}
	return nil
}

// refused returns why the walk refused the body. The decoder of the standard library reads it again to tell; where it finds
// nothing wrong, a limit is the reason. What only one of the two accepts is accepted by neither.
func (d *Document) refused(limit *ParseError) *ParseError {
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.body))
	if _, err := dec.ReadValue(); err != nil {
		return d.syntax(dec, err)
	}
	end := int(dec.InputOffset())
	if rest := strings.TrimLeft(d.raw[end:], jsonBlanks); rest != "" {
		return &ParseError{Kind: KindTrailingData, Offset: int64(len(d.raw) - len(rest))}
	}
	return limit
}

// syntax turns a decoder error into ours.
func (d *Document) syntax(dec *jsontext.Decoder, err error) *ParseError {
	e := &ParseError{Kind: KindSyntax, Offset: dec.InputOffset(), err: err}
	var se *jsontext.SyntacticError
	if errors.As(err, &se) {
		e.Offset, e.Pointer = se.ByteOffset, string(se.JSONPointer)
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Kind = KindDuplicateName
	case !utf8.ValidString(d.raw):
		e.Kind = KindInvalidUTF8
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Kind = KindTruncated
		if strings.Trim(d.raw, jsonBlanks) == "" {
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

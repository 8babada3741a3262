package content

import (
	"fmt"
)

// ParseErrorKind says why a body was refused. The kind goes to the audit and to a counter; the wire gets one
// fixed sentence whatever the kind.
type ParseErrorKind uint8

// The reasons for which a body is refused.
const (
	KindSyntax ParseErrorKind = iota
	KindEmpty
	KindTruncated
	KindDuplicateName
	KindInvalidUTF8
	KindTooDeep
	KindTooLarge
	KindTooManyStrings
	KindTrailingData
	KindBOM
	KindNotObject
)

var parseErrorKinds = [...]string{
	KindSyntax:         "syntax",
	KindEmpty:          "empty",
	KindTruncated:      "truncated",
	KindDuplicateName:  "duplicate_name",
	KindInvalidUTF8:    "invalid_utf8",
	KindTooDeep:        "too_deep",
	KindTooLarge:       "too_large",
	KindTooManyStrings: "too_many_strings",
	KindTrailingData:   "trailing_data",
	KindBOM:            "bom",
	KindNotObject:      "not_object",
}

// String returns the stable name of the kind, as audit lines and metrics carry it.
func (k ParseErrorKind) String() string {
	if int(k) < len(parseErrorKinds) {
		return parseErrorKinds[k]
	}
	return "syntax"
}

// ParseError is the only error that [Parse] and [Document.Assign] return.
type ParseError struct {
	Kind ParseErrorKind
	// Pointer is the RFC 6901 pointer of the offending value where it is known; for a duplicate name it
	// names the repeated member. It is made of names from the payload: audit only, never the wire.
	Pointer string
	// Offset is the byte offset in the body, -1 when it has no meaning.
	Offset int64
	err    error
}

// Error never contains payload text.
func (e *ParseError) Error() string {
	if e.Offset < 0 {
		return "parse payload: " + e.Kind.String()
	}
	return fmt.Sprintf("parse payload: %s at byte %d", e.Kind, e.Offset)
}

// Unwrap returns the parser's own error, which may quote payload text: do not log it.
func (e *ParseError) Unwrap() error { return e.err }

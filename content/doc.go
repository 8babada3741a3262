// Package content reads MCP payloads: it parses a body strictly, finds every string in it, looks at each
// string in several views, reports what its detectors find, and masks what may be masked by splicing the
// received bytes.
//
// It owns the JSON grammar that is accepted ([Parse]), what each string is to its reader ([Document.Assign]),
// the built-in detector table and the views ([Scanner]), the texts that a classifier should read
// ([Document.Segments]), redaction ([Rewrite]) and the identity of tool definitions ([Document.Tools]).
//
// It never decides: a [Finding] carries a severity and what it concerns, and the verdict is made elsewhere.
// It keeps no state, reads no clock, starts no goroutine and does no I/O; a [Document] and a [Scanner] are
// safe for concurrent readers. No error and no finding carries matched text.
//
// The engine calls it on the goroutine of the exchange: Parse, Assign, Scan, and for a result that goes on,
// Rewrite and CheckShape.
package content

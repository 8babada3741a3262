package rules

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of one pack file. Editors use it for completion; Parse is stricter where a schema
// cannot be: patterns, expressions and references are checked there.
func Schema() []byte { return append([]byte(nil), schema...) }

package content

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
)

// member says what a member of a params or result object must be.
type member struct {
	name     string
	kind     jsontext.Kind
	required bool
	// element is what each element of an array must be, nil for anything.
	element []member
}

var (
	textBlock  = []member{{name: "type", kind: '"', required: true}, {name: "text", kind: '"'}, {name: "data", kind: '"'}, {name: "mimeType", kind: '"'}, {name: "resource", kind: '{'}}
	definition = []member{{name: "name", kind: '"', required: true}, {name: "description", kind: '"'}, {name: "title", kind: '"'}}
	tool       = append([]member{{name: "inputSchema", kind: '{', required: true}, {name: "outputSchema", kind: '{'}, {name: "annotations", kind: '{'}}, definition...)
)

// requestShapes and resultShapes list what is checked by method. A method that is not listed may carry any
// JSON value. A member that may be missing in one protocol generation is not required.
var requestShapes = map[string][]member{
	"tools/call":     {{name: "name", kind: '"', required: true}, {name: "arguments", kind: '{'}},
	"prompts/get":    {{name: "name", kind: '"', required: true}, {name: "arguments", kind: '{'}},
	"resources/read": {{name: "uri", kind: '"', required: true}},
}

var resultShapes = map[string][]member{
	"tools/call":               {{name: "content", kind: '[', element: textBlock}, {name: "isError", kind: 't'}},
	"tools/list":               {{name: "tools", kind: '[', required: true, element: tool}, {name: "nextCursor", kind: '"'}},
	"prompts/list":             {{name: "prompts", kind: '[', required: true, element: definition}},
	"prompts/get":              {{name: "messages", kind: '['}, {name: "description", kind: '"'}},
	"resources/list":           {{name: "resources", kind: '[', required: true, element: append([]member{{name: "uri", kind: '"', required: true}}, definition...)}},
	"resources/templates/list": {{name: "resourceTemplates", kind: '[', required: true, element: append([]member{{name: "uriTemplate", kind: '"', required: true}}, definition...)}},
	"resources/read":           {{name: "contents", kind: '[', element: []member{{name: "uri", kind: '"', required: true}, {name: "text", kind: '"'}, {name: "blob", kind: '"'}}}},
	"completion/complete":      {{name: "completion", kind: '{', required: true}},
	"initialize":               {{name: "protocolVersion", kind: '"', required: true}, {name: "instructions", kind: '"'}},
}

// ShapeError is a message that is not what its receiver expects.
type ShapeError struct {
	Method string
	// Path is the RFC 6901 pointer of the member that does not fit; its names are those of the protocol.
	Path string
	// Fault says what is wrong with it.
	Fault string
}

// Error names the member, never its value.
func (e *ShapeError) Error() string {
	return fmt.Sprintf("check shape of %s: %q %s", e.Method, e.Path, e.Fault)
}

// CheckShape reports whether our own output still is what the method's receiver expects: the gateway takes any
// JSON as a result. The error is a [*ShapeError].
func CheckShape(method string, side Side, body []byte) error {
	shapes := resultShapes
	if side == SideRequest {
		shapes = requestShapes
	}
	want, ok := shapes[method]
	v := jsontext.Value(body)
	if !ok {
		if !v.IsValid() {
			return &ShapeError{Method: method, Fault: notJSON}
		}
		return nil
	}
	if path, fault := objectFault(v, want, ""); fault != "" {
		return &ShapeError{Method: method, Path: path, Fault: fault}
	}
	return nil
}

const notJSON = "is not valid JSON"

// objectFault returns where an object is not as wanted, and why; "" for one that is.
func objectFault(v jsontext.Value, want []member, at string) (path, fault string) {
	if v.Kind() != '{' {
		return at, "is not an object"
	}
	var have map[string]jsontext.Value
	if err := json.Unmarshal(v, &have); err != nil {
		return at, notJSON
	}
	for _, m := range want {
		path := at + "/" + m.name
		val, ok := have[m.name]
		switch kind := val.Kind(); {
		case !ok && m.required:
			return path, "is missing"
		case !ok, kind == 'n' && !m.required:
			continue
		case kind != m.kind && !(m.kind == 't' && kind == 'f'):
			return path, "has the wrong type"
		}
		if m.element == nil {
			continue
		}
		var elements []jsontext.Value
		if err := json.Unmarshal(val, &elements); err != nil {
			return path, notJSON
		}
		for i, e := range elements {
			if path, fault := objectFault(e, m.element, fmt.Sprintf("%s/%d", path, i)); fault != "" {
				return path, fault
			}
		}
	}
	return "", ""
}

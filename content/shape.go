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

// CheckShape reports whether our own output still is what the method's receiver expects: the gateway takes any
// JSON as a result. Errors name the member, never its value.
func CheckShape(method string, side Side, body []byte) error {
	shapes := resultShapes
	if side == SideRequest {
		shapes = requestShapes
	}
	want, ok := shapes[method]
	v := jsontext.Value(body)
	if !ok {
		if !v.IsValid() {
			return fmt.Errorf("check shape of %s: not valid JSON", method)
		}
		return nil
	}
	if err := checkObject(v, want, ""); err != nil {
		return fmt.Errorf("check shape of %s: %w", method, err)
	}
	return nil
}

func checkObject(v jsontext.Value, want []member, at string) error {
	if v.Kind() != '{' {
		return fmt.Errorf("%q is not an object", at)
	}
	var have map[string]jsontext.Value
	if err := json.Unmarshal(v, &have); err != nil {
		return fmt.Errorf("%q is not valid JSON", at)
	}
	for _, m := range want {
		path := at + "/" + m.name
		val, ok := have[m.name]
		switch kind := val.Kind(); {
		case !ok && m.required:
			return fmt.Errorf("%q is missing", path)
		case !ok, kind == 'n' && !m.required:
			continue
		case kind != m.kind && !(m.kind == 't' && kind == 'f'):
			return fmt.Errorf("%q has the wrong type", path)
		}
		if m.element == nil {
			continue
		}
		var elements []jsontext.Value
		if err := json.Unmarshal(val, &elements); err != nil {
			return fmt.Errorf("%q is not valid JSON", path)
		}
		for i, e := range elements {
			if err := checkObject(e, m.element, fmt.Sprintf("%s/%d", path, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

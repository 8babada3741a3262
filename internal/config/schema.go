package config

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"strings"
)

// Schema returns the JSON schema (draft 2020-12) of the configuration file. It is
// deterministic.
func Schema() []byte {
	root := object(map[string]any{}, "Settings of the Sallyport sidecar.")
	properties := root["properties"].(map[string]any)
	groups := map[string]map[string]any{}
	overrides := object(map[string]any{}, "The settings that the profile overrides.")
	for i := range table {
		r := &table[i]
		if r.Path == "" {
			continue
		}
		put(properties, groups, r.Path, r.schema())
		if f := r.filePath(); f != "" {
			put(properties, groups, f, map[string]any{
				"type": "string", "description": "A file that holds " + r.Name + ".",
			})
		}
	}
	inner := map[string]map[string]any{}
	for i := range table {
		if r := &table[i]; r.Verdict {
			put(overrides["properties"].(map[string]any), inner, r.Path, r.schema())
		}
	}
	globs := map[string]any{"oneOf": []any{
		map[string]any{"type": "string"},
		map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	}}
	properties["profiles"] = map[string]any{
		"type":        "array",
		"maxItems":    maxProfiles,
		"description": "Overrides of verdict settings by service or route globs; the first match wins.",
		"items": object(map[string]any{
			"name": map[string]any{"type": "string"}, "service": globs, "route": globs, "set": overrides,
		}, "One profile."),
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	out, err := json.Marshal(root, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		panic("config: schema: " + err.Error())
	}
	return append(out, '\n')
}

func object(properties map[string]any, doc string) map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": false, "properties": properties, "description": doc,
	}
}

// put places a property under its group.
func put(properties map[string]any, groups map[string]map[string]any, path string, schema map[string]any) {
	group, key, grouped := strings.Cut(path, ".")
	if !grouped {
		properties[path] = schema
		return
	}
	if groups[group] == nil {
		groups[group] = map[string]any{}
		properties[group] = object(groups[group], "The "+group+" settings.")
	}
	groups[group][key] = schema
}

// schema describes the values of one row. Numbers that may carry a unit are
// accepted as text too, because that is how people write them.
func (r *Setting) schema() map[string]any {
	s := map[string]any{"description": r.Doc}
	if def := r.defaultText(); def != "" {
		s["description"] = r.Doc + " Default: " + def + "."
	}
	switch r.Kind {
	case Enum:
		// Editors offer the canonical words; any case is accepted when read.
		s["type"], s["enum"] = "string", r.Enum
	case Bool:
		s["type"] = "boolean"
	case Int, Millis:
		s["type"] = "integer"
	case Float, Seconds:
		s["type"] = "number"
	case Bytes:
		s["type"] = []string{"integer", "string"}
	case Duration, String, SecretKey:
		s["type"] = "string"
	default:
		s["type"] = []string{"array", "string"}
		s["items"] = map[string]any{"type": "string"}
	}
	if r.Kind.number() && r.Kind != Duration {
		low := "minimum"
		if r.Above {
			low = "exclusiveMinimum"
		}
		s[low], s["maximum"] = r.Min, r.Max
	}
	return s
}

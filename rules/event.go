package rules

import (
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// MethodToolsCall is the method that call steps mean when they name none.
const MethodToolsCall = "tools/call"

// Event is one thing that happened on a trace key: a call at the request gate, or (Result) what the response gate found in the
// answer to a call. Match reads it and keeps nothing of it.
type Event struct {
	Result    bool
	Service   string
	Tool      string
	Method    string
	Route     string
	Principal string
	Args      any                 // the call's arguments as decoded JSON: map[string]any, []any, string, bool, int64, float64, nil
	Meta      map[string]any      // the gateway's metadata
	Headers   map[string][]string // only those that the operator listed, lower-case names
	Labels    []string            // results only: see [Labels]
	Now       time.Time
}

// Labels names what the response gate found, for result steps. The wire categories are labels of themselves; prompt_injection
// and hidden_text also carry "injection", the label for "this text tries to steer the model".
func Labels(categories ...string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(label string) {
		if label != "" && !seen[label] {
			seen[label] = true
			out = append(out, label)
		}
	}
	for _, c := range categories {
		add(c)
		if c == "prompt_injection" || c == "hidden_text" {
			add("injection")
		}
	}
	return out
}

// knownLabels are those that the engine produces; lint warns about others.
var knownLabels = []string{"injection", "prompt_injection", "hidden_text", "secret", "personal_data", "exfiltration", "policy"}

// activation gives one event's variables to predicates. Values are converted once and shared by all predicates of the event.
type activation struct {
	ev    *Event
	lists ref.Val
	args  ref.Val
	meta  ref.Val
	head  ref.Val
	found ref.Val

	mistyped bool // an operand of the operator under way has the wrong type; see strictOperator
}

// ResolveName implements cel.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case "tool":
		return types.String(a.ev.Tool), true
	case "service":
		return types.String(a.ev.Service), true
	case "method":
		return types.String(a.ev.Method), true
	case "route":
		return types.String(a.ev.Route), true
	case "principal":
		return types.String(a.ev.Principal), true
	case "args":
		if a.args == nil {
			args := a.ev.Args
			if args == nil {
				args = map[string]any{} // absent arguments are an object without members
			}
			a.args = eventArgs(args)
		}
		return a.args, true
	case "meta":
		if a.meta == nil {
			a.meta = types.DefaultTypeAdapter.NativeToValue(orEmpty(a.ev.Meta))
		}
		return a.meta, true
	case "headers":
		if a.head == nil {
			a.head = types.DefaultTypeAdapter.NativeToValue(orEmpty(a.ev.Headers))
		}
		return a.head, true
	case "labels":
		if a.found == nil {
			a.found = types.DefaultTypeAdapter.NativeToValue(a.ev.Labels)
		}
		return a.found, true
	case "lists":
		return a.lists, true
	case "now":
		return types.Timestamp{Time: a.ev.Now}, true
	case ownName:
		return a, true
	}
	return nil, false
}

// Parent implements cel.Activation.
func (*activation) Parent() cel.Activation { return nil }

func orEmpty[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Many rules ask the same of the arguments; they are read once per event, and a part of them is a value of its own.
func TestArgumentsAreReadOncePerEvent(t *testing.T) {
	calls := 0
	helpers := Helpers{}.filled()
	texts := helpers.Texts
	helpers.Texts = func(v any) []string { calls++; return texts(v) }
	s, err := parsed(t, `rules:
  - {name: a, call: {when: 'texts(args).exists(t, t == "x")'}}
  - {name: b, call: {when: 'texts(args).exists(t, t == "y")'}}
  - {name: c, call: {when: 'texts(args).size() == 4 && texts(args.p) == ["x"]'}}
  - {name: d, call: {when: 'args.exists(k, k == "q") && args == {"p": "x", "q": "y"} && type(args) == type({}) && size(args) == 2'}}
`).Compile(WithHelpers(helpers))
	require.NoError(t, err)
	for n := range 2 {
		m := s.Match(&Event{Tool: "t", Method: MethodToolsCall, Args: map[string]any{"p": "x", "q": "y"}, Now: testEpoch})
		require.Empty(t, m.Faults)
		require.Len(t, m.Hits, 4)
		require.Equal(t, 2*(n+1), calls, "the whole and args.p, each once per event")
	}
	m := s.Match(&Event{Tool: "t", Method: MethodToolsCall, Args: []any{"x", "y"}, Now: testEpoch})
	require.Len(t, m.Hits, 2, "arguments that are no object are read too")
}

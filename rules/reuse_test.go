package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, text string) *Pack {
	t.Helper()
	p, err := Parse("reuse.yaml", []byte("version: 1\n"+text))
	require.NoError(t, err)
	return p
}

const reusedRule = "rules:\n  - {name: out, call: {when: 'recipients(args).exists(r, !in_domains(r, lists.inside))'}}\n"

// A predicate that was taken over reads the lists of the set it is in now, with the functions of the set it came from.
func TestReusedPredicatesReadTheNewLists(t *testing.T) {
	asked := 0
	helpers := Helpers{}.filled()
	inDomains := helpers.InDomains
	helpers.InDomains = func(s string, list []string) bool { asked++; return inDomains(s, list) }
	before, err := parsed(t, "lists: {inside: [a.example]}\n"+reusedRule).Compile(WithHelpers(helpers))
	require.NoError(t, err)
	pack := parsed(t, "lists: {inside: [b.example]}\n"+reusedRule+"  - {name: fresh, call: {when: 'in_domains(string(args.h), lists.inside)'}}\n")
	after, err := pack.Compile(Reusing(before))
	require.NoError(t, err)
	fresh, err := pack.Compile()
	require.NoError(t, err)
	require.Equal(t, fresh.Version(), after.Version())
	require.NotEqual(t, before.Version(), after.Version())

	ev := Event{Tool: "t", Method: MethodToolsCall, Args: map[string]any{"to": "x@b.example", "h": "b.example"}, Now: testEpoch}
	names := func(s *Set) (out []string) {
		for _, h := range s.Match(&ev).Hits {
			out = append(out, h.Rule)
		}
		return out
	}
	require.Equal(t, []string{"out"}, names(before))
	require.Equal(t, []string{"fresh"}, names(after))
	require.Equal(t, 3, asked)
	require.Equal(t, names(fresh), names(after))
}

// What would not compile alone does not compile by having compiled before.
func TestReusedPredicatesNeedTheirLists(t *testing.T) {
	before, err := parsed(t, "lists: {inside: [a.example]}\n"+reusedRule).Compile()
	require.NoError(t, err)
	_, err = parsed(t, reusedRule).Compile(Reusing(before))
	require.ErrorContains(t, err, `unknown list "inside"`)
	_, err = parsed(t, reusedRule).Compile()
	require.ErrorContains(t, err, `unknown list "inside"`)
}

// A set keeps nothing of the sets before the one it was compiled after.
func TestReuseKeepsNoChainOfSets(t *testing.T) {
	set, err := parsed(t, "rules: [{name: a, call: {when: args.x == 0}}]\n").Compile()
	require.NoError(t, err)
	for range 3 {
		set, err = parsed(t, "rules: [{name: a, call: {when: args.x == 1}}]\n").Compile(Reusing(set))
		require.NoError(t, err)
		require.Nil(t, set.source.prior)
		require.Len(t, set.source.cache, 1)
	}
	_, err = parsed(t, "rules: [{name: a, call: {when: args.x == 1}}]\n").Compile(Reusing(nil))
	require.NoError(t, err)
}

package config

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const profiles = `
failure_mode: failClosed
pg: {review_threshold: 0.4}
profiles:
  - name: staging
    service: "staging-*"
    set:
      failure_mode: failopen
      dry_run: yes
  - name: internal read
    service: [wiki, "docs?"]
    route: int/*
    set:
      pg: {block_threshold: 0.9}
      tools_list_action: note
  - route: "*"
    service: wiki
    set: {human_review_mode: deny}
`

func TestProfiles(t *testing.T) {
	s := good(t, profiles, nil)
	for _, tc := range []struct {
		services []string
		route    string
		want     string
	}{
		{[]string{"staging-a"}, "", "staging"},
		{[]string{"staging-a", "staging-b"}, "x", "staging"},
		{[]string{"staging-a", "wiki"}, "", ""},
		{[]string{"wiki"}, "int/a", "internal read"},
		{[]string{"docs1"}, "int/a/b", "internal read"},
		{[]string{"docs12"}, "int/a", ""},
		{[]string{"wiki"}, "ext", "profiles[2]"},
		{[]string{"wiki"}, "", "profiles[2]"},
		{nil, "int/a", ""},
	} {
		_, name := s.VerdictFor(tc.services, tc.route)
		require.Equal(t, tc.want, name, "%v %q", tc.services, tc.route)
	}
	v, _ := s.VerdictFor([]string{"staging-a"}, "")
	require.Equal(t, Verdict{
		FailureMode: FailOpen, HumanReviewMode: ReviewPass, DryRun: true, RedactResponses: true,
		ToolsListAction: ToolsRemove, PinAction: ToolsNote, PGReviewThreshold: 0.4,
	}, v)
	v, _ = s.VerdictFor([]string{"wiki"}, "int/a")
	require.Equal(t, 0.9, v.PGBlockThreshold)
	require.Equal(t, 0.4, v.PGReviewThreshold, "what a profile leaves alone is the file's")
	v, _ = s.VerdictFor([]string{"other"}, "")
	require.Equal(t, s.Verdict(), v)
}

func TestProfilesFollowTheEnvironment(t *testing.T) {
	s := good(t, profiles, []string{"HUMAN_REVIEW_MODE=deny", "FAILURE_MODE=failOpen"})
	v, _ := s.VerdictFor([]string{"wiki"}, "int/a")
	require.Equal(t, ReviewDeny, v.HumanReviewMode)
	require.Equal(t, FailOpen, v.FailureMode)
}

func TestProfileProblems(t *testing.T) {
	_, err := read(t, `
profiles:
  - name: a
    service: x
    set: {listen_addr: ":1", failure_mode: half, redact_everything: true}
  - name: a
    set: {dry_run: true}
  - route: [[]]
    sett: {}
`, nil, nil)
	require.EqualError(t, err, strings.TrimSpace(`
configuration: 8 problems
  sallyport.yaml:5:11: LISTEN_ADDR: cannot be overridden by a profile
  sallyport.yaml:5:44: FAILURE_MODE: "half" is not one of failClosed, failOpen
  sallyport.yaml:5:50: unknown setting "redact_everything" in profiles[0]
  sallyport.yaml:6:9: profiles[1]: a profile named "a" stands above
  sallyport.yaml:6:9: profiles[1] matches nothing in particular: give service or route
  sallyport.yaml:8:13: profiles[2].route is not a glob or a list of globs
  sallyport.yaml:9:5: unknown key "sett" in profiles[2] (name, service, route, set)
  sallyport.yaml:8:10: profiles[2] matches nothing in particular: give service or route`))
	_, err = read(t, "profiles: {a: b}\n", nil, nil)
	require.ErrorContains(t, err, "profiles is not a list")
}

// The matcher agrees with the regular expression that says the same.
func TestGlobAgreesWithRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune("ab*?é")), 0, 8, -1).Draw(t, "pattern")
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abé")), 0, 8, -1).Draw(t, "text")
		expr := regexp.QuoteMeta(pattern)
		expr = strings.ReplaceAll(strings.ReplaceAll(expr, `\*`, `.*`), `\?`, `.`)
		require.Equal(t, regexp.MustCompile("^"+expr+"$").MatchString(text), glob(pattern, text))
	})
}

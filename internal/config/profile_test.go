package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	require.Len(t, s.Profiles, 3)
	staging, internal, named := s.Profiles[0], s.Profiles[1], s.Profiles[2]
	require.Equal(t, []string{"staging-*"}, staging.Services)
	require.Empty(t, staging.Routes)
	require.Equal(t, []string{"wiki", "docs?"}, internal.Services)
	require.Equal(t, []string{"int/*"}, internal.Routes)
	require.Equal(t, "profiles[2]", named.Name, "a profile without a name is called by its place")
	require.Equal(t, Verdict{
		FailureMode: FailOpen, HumanReviewMode: ReviewPass, DryRun: true, RedactResponses: true,
		ToolsListAction: ToolsRemove, PinAction: ToolsNote, PGReviewThreshold: 0.4,
	}, staging.Verdict)
	require.Equal(t, 0.9, internal.Verdict.PGBlockThreshold)
	require.Equal(t, 0.4, internal.Verdict.PGReviewThreshold, "what a profile leaves alone is the file's")
}

func TestProfilesFollowTheEnvironment(t *testing.T) {
	s := good(t, profiles, []string{"HUMAN_REVIEW_MODE=deny", "FAILURE_MODE=failOpen"})
	v := s.Profiles[1].Verdict
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

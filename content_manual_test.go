package sallyport_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
)

// examplePack returns the rule pack that the manual of the detectors shows.
func examplePack(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("docs/detectors.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(data), "<!-- example begin -->\n```yaml\n")
	require.True(t, ok)
	pack, _, ok := strings.Cut(rest, "```\n<!-- example end -->")
	require.True(t, ok)
	return pack
}

// TestExamplePackOfTheManual runs what the manual shows: detectors and exceptions do what the text says.
func TestExamplePackOfTheManual(t *testing.T) {
	path := write(t, examplePack(t))
	e := start(t, func(c *sallyport.Config) { c.RulesPath = path })
	answer := func(text string) sallyport.Verdict {
		return e.CheckResponse(t.Context(), call("hr", `{"content":[{"type":"text","text":"`+text+`"}]}`))
	}
	require.Contains(t, string(answer("Badge AC-123456 was lost").Body), "Badge [REDACTED:BADGE] was lost")
	require.Equal(t, decision.Allow, answer("Badge AC-12 was lost").Outcome)
	require.Equal(t, decision.Allow, answer("write to support@acme.example").Outcome)
	require.Contains(t, string(answer("write to kim@acme.example").Body), "[REDACTED:EMAIL]")
	require.Equal(t, decision.Allow, answer("Project Falcon starts").Outcome, "the code name is for requests")

	ask := func(service, tool, text string) decision.Outcome {
		return e.CheckRequest(t.Context(), call(service, `{"name":"`+tool+`","arguments":{"text":"`+text+`"}}`)).Outcome
	}
	require.Equal(t, decision.Deny, ask("hr", "post", "about project  falcon"))
	key := "AIzaSy" + strings.Repeat("A1b2C", 7)[:33]
	require.Equal(t, decision.Deny, ask("website", "post", key))
	require.Equal(t, decision.Deny, ask("hr", "edit_page", key))
	require.Equal(t, decision.Allow, ask("website", "edit_page", key))
}

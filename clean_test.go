package sallyport

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecretsInNamesStayOutOfTheTrail: a secret as a member name, as a duplicated
// member name and in a resource's URI.
func TestSecretsInNamesStayOutOfTheTrail(t *testing.T) {
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	e, trail := engineWith(t, &wordModel{}, nil)
	for _, x := range []*Exchange{
		{Method: "tools/call", Body: []byte(`{"name":"x","arguments":{"` + token + `":"y"}}`)},
		{Method: "tools/call", Body: []byte(`{"name":"x","arguments":{"password=hunter2hunter2":1,"password=hunter2hunter2":2}}`)},
		{Method: "resources/read", Body: []byte(`{"uri":"https://kim:hunter2hunter2@x.example/a?token=` + token + `"}`)},
		{Method: "tools/call", Body: []byte(`{"name":"` + token + `"}`)},
	} {
		x.HasBody, x.Services = true, []string{"a"}
		e.CheckRequest(context.Background(), x)
	}
	require.NoError(t, e.tree().Audit.Flush(context.Background()))
	lines := 0
	for _, r := range trail.all() {
		if r.Event != "" {
			continue
		}
		lines++
		text := r.Tool + r.Reason + strings.Join(r.RulesHit, "")
		for _, f := range r.Findings {
			text += f.Path + f.Detector
		}
		require.NotContains(t, text, token)
		require.NotContains(t, text, "hunter2")
	}
	require.Equal(t, 4, lines)
}

func TestCleanNamesStay(t *testing.T) {
	e, _ := engineWith(t, &wordModel{}, nil)
	c := newCleaner(e.tree().Rules.Current().Scanner)
	require.Equal(t, "/arguments/repository/0", c.pointer("/arguments/repository/0"))
	require.Equal(t, "file:///etc/hosts", c.subject("file:///etc/hosts"))
	require.Equal(t, "https://x.example/a", c.subject("https://x.example/a?b=c#d"))
	require.Equal(t, "get_issue", c.subject("get_issue"))
}

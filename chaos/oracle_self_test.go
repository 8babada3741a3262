//go:build chaos

package chaos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// The oracle is only worth what it would catch.
func TestOracle(t *testing.T) {
	refused := func(code extmcp.AuthorizationError_Code, category string) reply {
		return reply{err: &extmcp.AuthorizationError{Code: code, Reason: "no (ref r1)", McpError: []byte(`{"ref":"r1","phase":"request","category":"` + category + `"}`)}}
	}
	pass, empty := reply{pass: true}, reply{}
	both := refused(extmcp.AuthorizationError_UNKNOWN, unavailable)
	both.pass = true
	down := refused(extmcp.AuthorizationError_UNKNOWN, unavailable)
	policy := refused(extmcp.AuthorizationError_PERMISSION_DENIED, "secret")
	invalid := refused(extmcp.AuthorizationError_INVALID, "malformed")
	leaking, nameless, unreadable := refused(extmcp.AuthorizationError_PERMISSION_DENIED, "s3cret"), refused(extmcp.AuthorizationError_PERMISSION_DENIED, "secret"), refused(extmcp.AuthorizationError_PERMISSION_DENIED, "secret")
	nameless.err.Reason = "no"
	unreadable.err.McpError = []byte("{")
	for name, c := range map[string]struct {
		want  want
		reply reply
		ok    bool
	}{
		"empty":                      {harmless, empty, false},
		"two at once":                {harmless, both, false},
		"harmless passed":            {harmless, pass, true},
		"harmless changed":           {harmless, reply{mutated: []byte("{}")}, false},
		"harmless refused":           {harmless, policy, false},
		"harmless, not available":    {harmless, down, true},
		"harmless, full":             {harmless, refused(extmcp.AuthorizationError_RESOURCE_EXHAUSTED, "rate"), true},
		"attack passed":              {denied, pass, false},
		"attack changed":             {denied, reply{mutated: []byte("{}")}, false},
		"attack refused":             {denied, policy, true},
		"attack, not available":      {denied, down, true},
		"attack, no reason":          {denied, refused(extmcp.AuthorizationError_UNKNOWN, "secret"), false},
		"secret passed":              {cleaned, pass, false},
		"secret still there":         {cleaned, reply{mutated: []byte(`{"a":"s3cret"}`)}, false},
		"secret gone":                {cleaned, reply{mutated: []byte(`{"a":"*"}`)}, true},
		"secret gone, JSON gone too": {cleaned, reply{mutated: []byte(`{"a":`)}, false},
		"refusal quotes":             {denied, leaking, false},
		"refusal without ref":        {denied, nameless, false},
		"refusal without data":       {denied, unreadable, false},
		"malformed refused":          {malformed, invalid, true},
		"malformed as policy":        {malformed, policy, false},
		"malformed passed":           {malformed, pass, false},
		"nobody can tell, passed":    {undecided, pass, false},
		"nobody can tell":            {undecided, down, true},
	} {
		require.Equal(t, c.ok, judge(c.want, "s3cret", c.reply) == "", "%s: %s", name, judge(c.want, "s3cret", c.reply))
	}
}

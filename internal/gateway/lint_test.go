package gateway

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const good = `routes:
- policies:
    mcpGuardrails:
      processors:
      - kind: remote
        host: "127.0.0.1:9001"
        failureMode: failClosed
        methods:
          "tools/call": full
          "tools/list": response
          "prompts/*": full
          "resources/*": full
          "resources/templates/list": response
          "completion/complete": response
          "tasks/*": response
          "initialize": response
          "*/discover": response
        metadata:
          principal: jwt.sub
          call: mcpGuardrails.call
        requestHeaders: {disallowed: [authorization, cookie]}
        policies:
          http: {requestTimeout: 3s}
`

func TestAGoodConfigurationIsQuiet(t *testing.T) {
	found, err := Lint("gw.yaml", []byte(good))
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		from, to string
		want     string
		unsafe   bool
	}{
		"fail open":                {"failClosed", "failOpen", "gw.yaml:7:22: unsafe: failOpen passes every exchange", true},
		"a method is missing":      {`          "tools/call": full` + "\n", "", "gw.yaml:9:", true},
		"a phase is too small":     {`"tools/call": full`, `"tools/call": response`, "gw.yaml:9:11: unsafe: tools/call has phase response", true},
		"request only":             {`"tools/list": response`, `"tools/list": request`, "gw.yaml:10:11: unsafe: tools/list has phase request", true},
		"off":                      {`"initialize": response`, `"initialize": off`, "gw.yaml:16:11: unsafe: initialize is off", true},
		"a phase that is none":     {`"initialize": response`, `"initialize": both`, `gw.yaml:16:25: unsafe: phase "both" of initialize`, true},
		"a method that is none":    {`          "initialize": response`, `          "initialize": response` + "\n" + `          "tols/call": full`, `gw.yaml:17:11: note: "tols/call" is no method`, false},
		"a request nobody asks":    {`"tasks/*": response`, `"tasks/*": full`, "gw.yaml:15:11: note: the gateway never asks about the request of tasks/*", false},
		"no hand-back":             {"          call: mcpGuardrails.call\n", "", "without call: mcpGuardrails.call", false},
		"a stale name":             {"mcpGuardrails.call", "extMcp.call", "extMcp.* never evaluates", false},
		"no principal, no session": {"          principal: jwt.sub\n", "", "share one key", false},
		"mcp in metadata":          {"jwt.sub", "mcp.tool.name", "principal will be missing", false},
		"credentials":              {"        requestHeaders: {disallowed: [authorization, cookie]}\n", "", "every client header", false},
		"half the credentials":     {"[authorization, cookie]", "[Authorization]", "gw.yaml:21:25: note: requestHeaders lets cookie through", false},
		"an allow list of some":    {"{disallowed: [authorization, cookie]}", "{allowed: [x-request-id, cookie]}", "requestHeaders lets cookie through", false},
		"a short timeout":          {"3s", "800ms", "requestTimeout 800ms is shorter", true},
		"not a duration":           {"3s", "soon", `requestTimeout "soon" is not a duration`, false},
		"a second processor":       {"      - kind: remote\n", "      - {kind: remote, failureMode: failClosed, methods: {\"*\": full}, metadata: {principal: a, call: b}, requestHeaders: {}}\n      - kind: remote\n", "put the one that decides last", false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, c.from)
			found, err := Lint("gw.yaml", []byte(strings.Replace(good, c.from, c.to, 1)))
			require.NoError(t, err)
			require.NotEmpty(t, found)
			var all []string
			for _, f := range found {
				all = append(all, f.String())
				if strings.Contains(f.String(), c.want) {
					require.Equal(t, c.unsafe, f.Unsafe)
					return
				}
			}
			t.Fatalf("want %q in\n%s", c.want, strings.Join(all, "\n"))
		})
	}
}

// What an editor puts in front of a file is no part of its first key.
func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	text := "mcpGuardrails: {processors: [{kind: remote, host: a, failureMode: failOpen}]}\n"
	want, err := Lint("g.yaml", []byte(text))
	require.NoError(t, err)
	require.NotEmpty(t, want)
	got, err := Lint("g.yaml", []byte("\ufeff"+text))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestNothingGuarded(t *testing.T) {
	for name, text := range map[string]string{
		"empty":         "",
		"no guardrails": "routes: []\n",
		"not YAML":      "a: [",
		"no processors": "mcpGuardrails: {processors: []}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Lint("gw.yaml", []byte(text))
			require.ErrorContains(t, err, `"gw.yaml"`)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// An allow list of headers without credentials is as good as a deny list of them.
func TestAllowedHeaders(t *testing.T) {
	found, err := Lint("gw.yaml", []byte(strings.Replace(good, "{disallowed: [authorization, cookie]}", "{allowed: [x-request-id]}", 1)))
	require.NoError(t, err)
	require.Empty(t, found)
}

// The configurations that the manuals show are such as the linter wants them.
func TestTheManualsAreQuiet(t *testing.T) {
	for _, file := range []string{"../../README.md", "../../docs/gateway.md", "../../docs/deploy.md"} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, block := range strings.Split(string(data), "```yaml\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			if !strings.Contains(block, "mcpGuardrails:") {
				continue
			}
			found, err := Lint(file, []byte(block))
			require.NoError(t, err)
			require.Empty(t, found)
		}
	}
}

func FuzzLint(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("mcpGuardrails: &a {processors: [*a]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := Lint("x", data)
		if err == nil {
			for _, one := range found {
				require.NotEmpty(t, one.Message)
			}
		}
	})
}

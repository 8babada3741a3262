package admin

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

func TestLogLevel(t *testing.T) {
	src := sources()
	s := start(t, src, Options{})
	url := "http://" + s.Addr() + "/loglevel"
	status, body, _ := do(t, "PUT", url, "", `{"level":"debug"}`)
	require.Equal(t, 200, status)
	require.Equal(t, `{"level":"debug"}`, strings.TrimSpace(body))
	require.Equal(t, zap.DebugLevel, src.Level.Level())
	for sent, want := range map[string]string{
		`{"level":"loud"}`:  `level \"loud\" is not one of debug, info, warn, error`,
		`{"level":"panic"}`: `level \"panic\" is not one of debug, info, warn, error`,
		`{"level":"warn` + strings.Repeat(" ", maxBodyBytes) + `"}`: `want {\"level\":\"debug\"}`,
		`{"lvl":"warn"}`: `want {\"level\":\"debug\"}`,
		`level=warn`:     `want {\"level\":\"debug\"}`,
		``:               `want {\"level\":\"debug\"}`,
	} {
		status, body, _ = do(t, "PUT", url, "", sent)
		require.Equal(t, 400, status, sent)
		require.Contains(t, body, want)
		require.Equal(t, zap.DebugLevel, src.Level.Level(), sent)
	}
}

// The line that the index shows works as it is in curl, which says that it sends a form.
func TestLogLevelOfAForm(t *testing.T) {
	src := sources()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+start(t, src, Options{}).Addr()+"/loglevel", strings.NewReader(`{"level":"warn"}`))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 200, response.StatusCode)
	require.Equal(t, zap.WarnLevel, src.Level.Level())
}

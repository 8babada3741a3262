package sidecar

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseMetrics(t *testing.T) {
	got := parseMetrics("# HELP a b\n# TYPE a gauge\na 1\nb{x=\"y z\"} 2.5e+07\nbroken\nc NaNo\n")
	require.Equal(t, map[string]float64{"a": 1, `b{x="y z"}`: 2.5e7}, got)
}

func TestLinesSkipWhatIsNoLine(t *testing.T) {
	p := &Process{Dir: t.TempDir()}
	_, err := p.Lines()
	require.ErrorIs(t, err, os.ErrNotExist)
	text := `{"level":"info","ts":"2026-01-02T03:04:05.678Z","msg":"stop step","step":"drain","took":"1.5s"}` + "\nnoise\n" + `{"level":"in`
	require.NoError(t, os.WriteFile(filepath.Join(p.Dir, "sallyport.log"), []byte(text), 0o600))
	lines, err := p.Lines()
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Equal(t, "drain", lines[0].Step)
	require.Equal(t, 1500*time.Millisecond, lines[0].Took.Duration)
	require.Equal(t, 5, lines[0].At.Second())
}

func TestDialKeepsToThisMachine(t *testing.T) {
	for _, addr := range []string{"192.0.2.1:9001", "example.org:9001", "9001"} {
		_, err := Dial(addr)
		require.Error(t, err, addr)
	}
	for _, addr := range []string{"127.0.0.1:9001", "[::1]:9001", "localhost:9001", "unix:/tmp/s"} {
		c, err := Dial(addr)
		require.NoError(t, err, addr)
		require.NoError(t, c.Close())
	}
}

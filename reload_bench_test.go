package sallyport_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
)

// BenchmarkCallWhileReloading is one call over 1 000 rules, at rest and while the pack
// is read again and again with ten rules changed: the median, the 99th percentile and
// the longest, in microseconds.
func BenchmarkCallWhileReloading(b *testing.B) {
	pack := func(version int) []byte {
		var s strings.Builder
		s.WriteString("version: 1\nname: thousand\nrules:\n")
		for i := range 1000 {
			changed := 0
			if i < 10 {
				changed = version
			}
			fmt.Fprintf(&s, "  - name: r%d\n    call: {tool: tool%d, when: 'size(string(args.path)) > %d'}\n", i, i%50, 100_000+changed)
		}
		return []byte(s.String())
	}
	for _, reloading := range []bool{false, true} {
		b.Run(fmt.Sprintf("reloading=%v", reloading), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "pack.yaml")
			require.NoError(b, os.WriteFile(path, pack(0), 0o600))
			cfg := sallyport.DefaultConfig()
			cfg.Drain, cfg.RulesPath = 0, path
			e, err := sallyport.New(cfg)
			require.NoError(b, err)
			require.NoError(b, e.Start(b.Context()))
			defer e.Shutdown(context.Background())
			require.Equal(b, sallyport.Serving, e.AwaitServing(b.Context()))
			stop, done := make(chan struct{}), make(chan int)
			go func() {
				n := 0
				defer func() { done <- n }()
				for reloading {
					select {
					case <-stop:
						return
					default:
					}
					n++
					if os.WriteFile(path, pack(n), 0o600) != nil || e.Reload(b.Context(), cfg.Policy) != nil {
						b.Error("the pack was not loaded")
						return
					}
				}
			}()
			x := &sallyport.Exchange{Method: "tools/call", Services: []string{"files"}, HasBody: true, Body: []byte(`{"name":"tool7","arguments":{"path":"/srv/a"}}`)}
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if v := e.CheckRequest(b.Context(), x); v.Denied() {
					b.Fatal(v)
				}
				took = append(took, time.Since(began))
			}
			close(stop)
			b.ReportMetric(float64(<-done), "reloads")
			slices.Sort(took)
			for name, at := range map[string]int{"p50-us": len(took) / 2, "p99-us": len(took) * 99 / 100, "max-us": len(took) - 1} {
				b.ReportMetric(float64(took[at].Microseconds()), name)
			}
		})
	}
}

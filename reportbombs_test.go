package sallyport

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
)

// TestBombsBeforeTheModels: what is made to cost much is judged by an engine with both models as it is by one without,
// and what its answer allocates is bounded by a multiple of the payload.
func TestBombsBeforeTheModels(t *testing.T) {
	e, trail := shipped(t, func(c *Config) { c.ScannerTimeout, c.ExchangeTimeout = 10*time.Minute, 11*time.Minute })
	squeezed := func(text []byte) string {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, err := z.Write(text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return base64.StdEncoding.EncodeToString(out.Bytes())
	}
	var keys, prose strings.Builder
	for i := range 400_000 { // as many as fit the payload limit
		fmt.Fprintf(&keys, `"%x":1,`, i)
	}
	for i := 0; prose.Len() < 8<<20-200; i++ {
		fmt.Fprintf(&prose, "In week %d the meeting moved item %d to the list of week %d. ", i%52, i, i*7%52)
	}
	for name, tc := range map[string]struct {
		body string
		want decision.Outcome
	}{
		"nested lists":            {strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20), decision.Invalid},
		"too many keys":           {"{" + keys.String() + keys.String() + `"z":1}`, decision.Invalid},
		"many keys":               {"{" + keys.String() + `"z":1}`, decision.Allow},
		"a body at the limit":     {inResult(prose.String()), decision.Flagged}, // the models read a part of it
		"a gzip bomb in base64":   {inResult("see " + squeezed(bytes.Repeat([]byte("a"), 32<<20)) + " here"), decision.Flagged},
		"a gzip bomb with orders": {inResult("see " + squeezed([]byte(override+strings.Repeat(" a", 16<<20))) + " here"), decision.Deny},
		"combining marks":         {inResult(strings.Repeat("a"+strings.Repeat("\u0301", 20), 100_000)), decision.Flagged},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			v, line := ask(t, e, trail, decision.Response, &Exchange{Method: "tools/call", Services: []string{"a"}, HasBody: true, Body: []byte(tc.body)})
			runtime.ReadMemStats(&after)
			require.Equal(t, tc.want, v.Outcome, v.Cause)
			require.Nil(t, v.Body)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32*len(tc.body)+64<<20), "allocated for %d bytes", len(tc.body))
			if tc.want == decision.Flagged {
				require.NotNil(t, line.Coverage)
			}
		})
	}
}

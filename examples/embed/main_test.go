package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
)

// Without a model the detectors and rules judge alone.
func TestEveryCallEndsAsItShould(t *testing.T) {
	var out bytes.Buffer
	cfg := sallyport.DefaultConfig()
	cfg.ScannerTimeout, cfg.ExchangeTimeout = time.Minute, 2*time.Minute // a busy machine is not what is tested
	require.NoError(t, run(t.Context(), &out, cfg))
	require.Equal(t, `read_ticket {"id":7}: {"content":[{"type":"text","text":"The printer on floor 3 is out of toner."}]}
read_ticket {"id":8}: {"content":[{"type":"text","text":"Please call back: [REDACTED:EMAIL]"}]}
read_ticket {"id":9}: refused
search {"query":"AKIAZ7VRSQ5TJN2XMLKB"}: refused
`, out.String())
}

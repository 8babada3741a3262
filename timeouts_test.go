package sallyport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimeoutsFollowTheModel(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name                      string
		scanner, exchange, batch  time.Duration
		wantScanner, wantExchange time.Duration
	}{
		{"no model", 0, 0, 0, 500 * ms, 2000 * ms},
		{"fast model", 0, 0, 3 * ms, 500 * ms, 2000 * ms},
		{"slow model", 0, 0, time.Second, 3000 * ms, 4500 * ms},
		{"scanner given", 80 * ms, 0, time.Second, 80 * ms, 1580 * ms},
		{"the exchange bounds a slow model", 0, 2000 * ms, time.Second, 2000 * ms, 2000 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.ScannerTimeout, cfg.ExchangeTimeout = c.scanner, c.exchange
			e, err := New(cfg)
			require.NoError(t, err)
			e.setTimeouts(c.batch)
			require.Equal(t, timeouts{scanner: c.wantScanner, exchange: c.wantExchange}, e.timeouts())
		})
	}
}

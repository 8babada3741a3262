//go:build chaos

package chaos

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// settings are what the environment asks for.
type settings struct {
	seed  uint64        // of the first run; further ones count up
	seeds int           // how many runs
	time  time.Duration // of one run
}

const (
	defaultSeconds = 60
	// patience is how long a caller waits. No deadline of the engine comes near it,
	// also on a machine that is busy with something else: who waits longer hangs.
	patience = 30 * time.Second
)

// fromEnvironment reads CHAOS_SEED, CHAOS_SEEDS and CHAOS_SECONDS. Without a seed
// every run is another one.
func fromEnvironment(t *testing.T) settings {
	t.Helper()
	number := func(name string, def, least uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return def
		}
		n, err := strconv.ParseUint(text, 10, 63)
		require.NoError(t, err, name)
		require.GreaterOrEqual(t, n, least, name)
		return n
	}
	return settings{
		seed:  number("CHAOS_SEED", uint64(time.Now().UnixNano())%1_000_000, 0),
		seeds: int(number("CHAOS_SEEDS", 1, 1)),
		time:  time.Duration(number("CHAOS_SECONDS", defaultSeconds, 1)) * time.Second,
	}
}

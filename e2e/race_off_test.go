//go:build unix && !race

package e2e

// raceEnabled makes the sidecar carry the race detector when the tests do.
const raceEnabled = false

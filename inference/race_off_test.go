//go:build !race

package inference_test

// raceEnabled says that the test binary looks for races and keeps tables for that.
const raceEnabled = false

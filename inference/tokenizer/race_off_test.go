//go:build !race

package tokenizer_test

// raceEnabled says that the test binary looks for races and is slow.
const raceEnabled = false

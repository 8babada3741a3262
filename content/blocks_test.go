package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestBlocksTellTheNext asks about every byte, and marks the words of a text one by one.
func TestBlocksTellTheNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9000).Draw(t, "bytes")
		in := make([]bool, n>>blockBits+1)
		var b blocks
		b.reset(n)
		for range rapid.IntRange(0, 4).Draw(t, "words") {
			lo := rapid.IntRange(0, n-1).Draw(t, "lo")
			hi := rapid.IntRange(lo+1, min(n, lo+200)).Draw(t, "hi")
			b.add(lo, hi)
			for k := lo >> blockBits; k <= (hi-1)>>blockBits; k++ {
				in[k] = true
			}
		}
		for i := range n {
			next := i
			for next < n && !in[next>>blockBits] {
				next = blockEnd(next)
			}
			if got := b.next(i); got < n || next < n {
				require.Equal(t, next, got)
			}
		}
	})
}

// TestNumbersAreFoundWhereverTheyStand: blocks without a number are passed over, and no number is.
func TestNumbersAreFoundWhereverTheyStand(t *testing.T) {
	for name, number := range map[string]string{"payment-card": "4111 1111 1111 1111", "us-ssn": "219-09-9998", "iban": "GB82WEST12345698765432"} {
		for before := range 300 {
			text := strings.Repeat("no 1 of 22 ", 30)[:before] + " " + number + strings.Repeat(" words", 40)
			require.Contains(t, detectors(scanText(t, text)), name, "%d bytes before", before)
		}
	}
}

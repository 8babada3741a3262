package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersInOnePiece: what is told without a gap or a sign between its digits, by how many there are.
func TestNumbersInOnePiece(t *testing.T) {
	for text, detector := range map[string]string{
		"ssn 536904399": "us-ssn", "手机 13912345678": "phone", "card 30569309025904": "payment-card", "card 378282246310005": "payment-card", "4242424242424242": "payment-card",
		"call +41446681800": "phone", "call +6591234567": "phone",
	} {
		require.Equal(t, []string{detector}, detectors(scanText(t, text)), text)
	}
	for _, text := range []string{"1790997147", "tel 2125550123", "call 17909971471", "ssn 53690439", "ssn 5369043990", "手机 1391234567"} {
		require.Empty(t, scanText(t, text).Findings, text)
	}
}

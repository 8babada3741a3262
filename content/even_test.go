package content

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersOfBytesBetweenWords: words as long as the pieces stand before and behind them.
func TestNumbersOfBytesBetweenWords(t *testing.T) {
	pieces := func(format, gap string) string {
		var all []string
		for _, c := range []byte(overrideText) {
			all = append(all, fmt.Sprintf(format, c))
		}
		return strings.Join(all, gap)
	}
	for _, numbers := range []string{
		pieces("%02x", " "), pieces("%02X", ":"), pieces("0x%02x", " "), pieces("0x%02X", ", "), pieces("U+%04X", " "), pieces("u+%04x", " "), pieces("%d", " "), pieces("%d", ", "), pieces("#%02x", ""), pieces("%08b", " "),
	} {
		for _, around := range []string{"§", "Status report.\n§\nEnd of it.", "it is so: § of it all is as we do", "from data this: § more than they have", "[§]", "1 2 § 3 4"} {
			text := strings.ReplaceAll(around, "§", numbers)
			require.Contains(t, detectors(scanText(t, text)), "instruction-override", text)
		}
	}
	for _, text := range []string{
		strings.Join(strings.Split(hex.EncodeToString([]byte("the quarterly report shows that revenue grew")), ""), " "), "it is so as we do of it in an on to by if or my at no up us", "0x00 0x7e 0x81 0xa5 0x81 0xbd 0x99 0x81 0x7e 0x00 0x00 0x00 0x01 0x02",
	} {
		require.Empty(t, scanText(t, text).Findings, text)
	}
}

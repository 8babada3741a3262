package content

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// xxdOf writes bytes as xxd does.
func xxdOf(data string) string {
	var b strings.Builder
	for i := 0; i < len(data); i += 16 {
		line := data[i:min(len(data), i+16)]
		var pairs []string
		for j := 0; j < len(line); j += 2 {
			pairs = append(pairs, fmt.Sprintf("%x", line[j:min(len(line), j+2)]))
		}
		fmt.Fprintf(&b, "%08x: %-39s  %s\n", i, strings.Join(pairs, " "), line)
	}
	return b.String()
}

// TestDumpsAreRead: the bytes that a dump shows are a text, however it sets them.
func TestDumpsAreRead(t *testing.T) {
	tcpdump := strings.ReplaceAll(xxdOf(orderedAside), "0000000", "\t0x000")
	for name, text := range map[string]string{
		"xxd":         xxdOf(orderedAside),
		"hexdump -C":  hex.Dump([]byte(orderedAside)),
		"in words":    "See the dump:\n\n```\n" + xxdOf(orderedAside) + "```\nThat is all.",
		"its columns": "  " + strings.ReplaceAll(hex.Dump([]byte(orderedAside)), "\n", "\n  "),
		"in a row":    "7," + xxdOf(orderedAside),
		"tcpdump":     tcpdump,
		"windows":     strings.ReplaceAll(xxdOf(orderedAside), "\n", "\r\n"),
	} {
		require.NotEmpty(t, paths(scanText(t, text), "instruction-override"), name)
	}
	for name, text := range map[string]string{
		"harmless":  hex.Dump([]byte("The release is planned for Tuesday at noon, as agreed in March.")),
		"binary":    hex.Dump([]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00>\x00\x01\x00\x00\x00")),
		"addresses": "00000000: 4889 e5 push\n00000004 nop\n00000008: ret",
		"zeros":     strings.Repeat("0", 4096),
		"a table":   "00000000  12  34  total\n00000001  56  78  total",
	} {
		require.Empty(t, scanText(t, text).Findings, name)
	}
}

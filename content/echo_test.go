package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStructuredContentAndItsTextAreMaskedAlike(t *testing.T) {
	d, r := scanBody(t, "tools/call", SideResponse, `{"content":[{"type":"text","text":"The account kim opens with hunter-22-x, not with hunter-22-xy."}],"structuredContent":{"user":"kim","password":"hunter-22-x"}}`)
	w := mask(t, d, r)
	require.Equal(t, `{"content":[{"type":"text","text":"The account kim opens with [REDACTED:CREDENTIAL], not with hunter-22-xy."}],"structuredContent":{"user":"kim","password":"[REDACTED:CREDENTIAL]"}}`, string(w.Bytes))
	require.Equal(t, 2, w.Masked)

	d, r = scanBody(t, "tools/call", SideResponse, `{"content":[{"type":"text","text":"{\"user\":\"kim\",\"mail\":\"kim@example.org\"}"}],"structuredContent":{"user":"kim","mail":"kim@example.org"}}`)
	require.Equal(t, 2, mask(t, d, r).Masked)
}

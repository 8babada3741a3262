package content

import (
	"fmt"
	"strings"
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

// TestMaskedTextHasNothingNewInIt scans what redaction wrote: what a mask is called announces no credential, and nothing
// that was left is found for the first time.
func TestMaskedTextHasNothingNewInIt(t *testing.T) {
	for _, text := range []string{
		"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\nAAAAIFq3mVt8Zr2Qb7Yc1Xw0Kd5Jn4Hs6Lp9Tg\nPrivate-MAC: bb13fa28e0d0632b9e22572b70eb87b3ee306d19c7c60719e603005d19f3cb61",
		"AKIAZ7VRSQ5TJN2XMLKB: abcDEF123456ghiJKL7890",
	} {
		d, r := scanBody(t, "tools/call", SideResponse, `{"content":[{"type":"text","text":`+quote(t, text)+`}]}`)
		masked := mask(t, d, r)
		require.True(t, masked.Changed)
		_, again := scanBody(t, "tools/call", SideResponse, string(masked.Bytes))
		require.Empty(t, again.Findings, text)
	}
	for _, f := range readAccuracy(t) {
		for _, c := range f.cases {
			d, r := scanBody(t, "tools/call", SideResponse, `{"content":[{"type":"text","text":`+quote(t, c.text)+`}]}`)
			masked := mask(t, d, r)
			if !masked.Changed {
				continue
			}
			known := map[string]bool{}
			for _, x := range r.Findings {
				known[x.Detector] = true
			}
			_, again := scanBody(t, "tools/call", SideResponse, string(masked.Bytes))
			for _, x := range again.Findings {
				require.True(t, x.Mask == "" || known[x.Detector], "%s in what was left of %q", x.Detector, c.text)
			}
		}
	}
}

// TestMoreEchoesThanAreLookedFor says that what is left unread is told.
func TestMoreEchoesThanAreLookedFor(t *testing.T) {
	for n, partial := range map[int]bool{maxEchoes: false, maxEchoes + 1: true, 5 * maxEchoes: true} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":{"password":"hunter%dKx!9aQ"},`, i, i)
		}
		_, r := scanBody(t, "tools/call", SideResponse, `{"structuredContent":{`+b.String()+`"z":1}}`)
		require.Equal(t, partial, r.Coverage.Partial, n)
	}
}

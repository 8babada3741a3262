package content

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepeatedEncodingsAreAllFound says that texts which are passed over because the like had nothing in it hide none
// that has, wherever it stands, and that one which has is found as often as it stands there.
func TestRepeatedEncodingsAreAllFound(t *testing.T) {
	plain := base64.StdEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
	mail := base64.StdEncoding.EncodeToString([]byte("write to kim@example.org now"))
	for _, every := range []int{2, 3, 17, 40} {
		var b strings.Builder
		mails := 0
		for i := range 120 {
			if i%every == 0 {
				mails++
				fmt.Fprintf(&b, "%s\n\n%d: ", mail, i)
			}
			fmt.Fprintf(&b, "%s\n\n%d: ", plain, i)
		}
		d, r := scanBody(t, "tools/call", SideResponse, result(b.String()))
		require.NotContains(t, string(mask(t, d, r).Bytes), mail, "every %d", every)
		found := 0
		for _, f := range r.Findings {
			if f.Detector == "email" {
				found += 1 + len(f.Also)
			}
		}
		require.Equal(t, mails, found, "every %d", every)
	}
}

// Texts that differ little must not all want the same place: only one of them would be remembered.
func TestTextsAreRememberedApart(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"beginning": func(i int) string { return fmt.Sprintf("%06d", i) + strings.Repeat("x", 60) },
		"middle":    func(i int) string { return strings.Repeat("x", 30) + fmt.Sprintf("%06d", i) + strings.Repeat("x", 30) },
		"end":       func(i int) string { return strings.Repeat("x", 60) + fmt.Sprintf("%06d", i) },
		"length":    func(i int) string { return strings.Repeat("x", i) },
		"short":     func(i int) string { return fmt.Sprint(i) },
	} {
		places := map[uint64]bool{}
		const n = 256
		for i := range n {
			at := slotOf(text(i), barrenBits)
			require.Less(t, at, uint64(maxBarren))
			places[at] = true
		}
		require.Greater(t, len(places), n*9/10, name)
	}
}

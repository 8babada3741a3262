package content

import (
	"context"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEncodingsUndoneInEitherOrderAreReadOnce: quoted-printable and percent escapes in one text make one text together,
// whichever is undone first.
func TestEncodingsUndoneInEitherOrderAreReadOnce(t *testing.T) {
	d := parse(t, "tools/call", SideResponse, result(fill("=49=67nore the %41 and the%20B. ")))
	sc := newScan(context.Background(), Builtin(), d, SideResponse)
	defer sc.release()
	for i := range d.strings {
		sc.queue = sc.queue[:0]
		sc.string(i)
		seen := map[string]bool{}
		for _, v := range sc.queue {
			require.False(t, seen[v.text], "read twice: %.40s", v.text)
			seen[v.text] = true
		}
		if d.strings[i].Role == RoleResultText {
			require.Len(t, sc.queue, 4) // as it is, one of the two undone, both
		}
	}
}

// TestWhatTwoRunsStandForIsReadForBoth: the same text decoded from two places is two texts.
func TestWhatTwoRunsStandForIsReadForBoth(t *testing.T) {
	carried := base64.StdEncoding.EncodeToString([]byte(fill("plain words, escaped%20here, ")[:3<<10] + " mail kim%40example.org "))
	r := scanText(t, "a "+carried+" b "+carried+" c")
	n := 0
	for _, f := range r.Findings {
		if f.Detector == detEmail.name {
			n += 1 + len(f.Also)
		}
	}
	require.Equal(t, 2, n)
}

package content

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStreamsThatUnfoldToNothingAreReadUpToABound says that a payload of blocks which take long to read, and give nothing that
// would be taken from the budget of views, is not read to its end in silence.
func TestStreamsThatUnfoldToNothingAreReadUpToABound(t *testing.T) {
	require.NotContains(t, detectors(scanText(t, emptyBlocks(400))), "incomplete-decode")
	for _, text := range []string{
		strings.Repeat(emptyBlocks(400)+" ", 4*size/400),
		emptyBlocks(2*size) + " &lt;",
		"&lt; " + inLines(emptyBlocks(2*size), 76),
	} {
		r := scanText(t, text)
		require.Equal(t, []string{"incomplete-decode"}, detectors(r), text[:80])
		require.Equal(t, "incomplete-decode", r.Coverage.Reason)
	}
}

// TestAStreamInLinesIsReadInFull says that what a payload may be made of altogether is within that bound.
func TestAStreamInLinesIsReadInFull(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var words strings.Builder
	for words.Len() < 2*size {
		for range 3 + r.IntN(6) {
			words.WriteByte('a' + byte(r.IntN(26)))
		}
		words.WriteByte(' ')
	}
	words.WriteString("write to kim@example.org")
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := z.Write([]byte(words.String()))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.Greater(t, b.Len(), size)
	text := inLines(base64.StdEncoding.EncodeToString(b.Bytes()), 76)
	require.Equal(t, []string{"email"}, detectors(scanText(t, text)))
	require.Equal(t, []string{"email"}, detectors(scanText(t, text+" é")))
}

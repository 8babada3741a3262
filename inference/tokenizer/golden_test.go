package tokenizer_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json/v2"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
)

// The golden files are the answers of the reference library; how they are made
// is told in testdata/reference/README.md.
const goldenDir = "testdata/golden"

var goldenNames = []string{
	"default", "deberta", "deberta-lower", "nfkc-lower", "blanks-away", "unsplit", "words",
	"punct-next", "punct-previous", "punct-contiguous", "wordpiece-uncased", "wordpiece-cased",
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldenDir, name))
	require.NoError(t, err)
	if !strings.HasSuffix(name, ".gz") {
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	data, err = io.ReadAll(r)
	require.NoError(t, err)
	return data
}

func goldenTokenizer(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Parse(golden(t, name+".json.gz"))
	require.NoError(t, err)
	return tok
}

// framed is the ids of text with what the post-processor puts around it.
func framed(tok *tokenizer.Tokenizer, text string) []int32 {
	ids := append([]int32{}, tok.Prefix()...)
	for _, token := range tok.Encode(nil, text) {
		ids = append(ids, token.ID)
	}
	return append(ids, tok.Suffix()...)
}

func TestIDsEqualTheReference(t *testing.T) {
	texts := corpus()
	hand := len(handMade())
	for _, name := range goldenNames {
		t.Run(name, func(t *testing.T) {
			tok := goldenTokenizer(t, name)
			var want [][]int32
			require.NoError(t, json.Unmarshal(golden(t, name+".ids.json.gz"), &want))
			require.Len(t, want, hand)
			different := 0
			report := func(text string, got, want any) {
				if different++; different <= 12 {
					t.Errorf("%.80q: got %v, want %v", text, got, want)
				}
			}
			for i, text := range texts[:hand] {
				if got := framed(tok, text); !equal(got, want[i]) {
					report(text, got, want[i])
				}
			}
			sums := golden(t, name+".sums")
			require.Len(t, sums, 2*fuzzStrings+sha256.Size)
			whole := sha256.New()
			for i, text := range texts[hand:] {
				ids := littleEndian(framed(tok, text))
				whole.Write(ids)
				one := sha256.Sum256(ids)
				if !bytes.Equal(one[:2], sums[2*i:2*i+2]) {
					report(text, framed(tok, text), "another sum")
				}
			}
			require.Zero(t, different, "texts whose ids differ")
			require.Equal(t, sums[2*fuzzStrings:], whole.Sum(nil), "all ids of all generated texts")
		})
	}
}

func equal(a, b []int32) bool {
	return bytes.Equal(littleEndian(a), littleEndian(b))
}

func littleEndian(ids []int32) []byte {
	b := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return b
}

// ML-05: a file may normalise blanks away, so that all words but the first join
// the one before; a textbook encoder gives other ids.
func TestBlanksFollowTheFile_ML05(t *testing.T) {
	text := "Here is a line with blanks."
	joined := strings.ReplaceAll(text, " ", "")
	away := goldenTokenizer(t, "blanks-away")
	require.Equal(t, framed(away, joined), framed(away, text))
	kept := goldenTokenizer(t, "deberta")
	require.NotEqual(t, framed(kept, joined), framed(kept, text))
	for _, tok := range []*tokenizer.Tokenizer{away, kept} {
		ids := framed(tok, text)
		require.Equal(t, tok.Prefix(), ids[:1])
		require.Equal(t, tok.Suffix(), ids[len(ids)-1:])
	}
}

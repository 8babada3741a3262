package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json/v2"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// chain writes n records and returns the file's lines, each with its newline.
func chain(t *testing.T, n int, key ed25519.PrivateKey) [][]byte {
	t.Helper()
	var out bytes.Buffer
	w, err := Open(Options{Path: Stdout, Stdout: &out, Now: (&clock{noon}).now, Version: "v1", SignKey: key})
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, w.Append(exchange(i)))
	}
	require.NoError(t, w.Close())
	return slices.Collect(bytes.Lines(out.Bytes()))
}

func check(t *testing.T, lines [][]byte, opt VerifyOptions) *VerifyReport {
	t.Helper()
	r, err := Verify(context.Background(), []Source{Reader("f", bytes.NewReader(bytes.Join(lines, nil)))}, opt)
	require.NoError(t, err)
	return r
}

func clone(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = bytes.Clone(l)
	}
	return out
}

func newKey(t *testing.T) (ed25519.PublicKey, ed25519.PrivateKey) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	return pub, priv
}

func TestVerifyNamesTheLine(t *testing.T) {
	lines := chain(t, 10, nil) // and a checkpoint
	at := func(n int) Position { return Position{"f", int64(n), uint64(n)} }
	tests := map[string]struct {
		change func([][]byte) [][]byte
		want   []Problem
	}{
		"nothing": {func(l [][]byte) [][]byte { return l }, nil},
		"one byte of a value": {
			func(l [][]byte) [][]byte { l[6] = bytes.Replace(l[6], []byte("ex-6"), []byte("ex-7"), 1); return l },
			[]Problem{{at(7), ProblemAltered, "its hash is not the one that the next line recorded"}},
		},
		"one byte of a link": {
			func(l [][]byte) [][]byte {
				i := bytes.Index(l[6], []byte(`"prev":"`)) + 8
				l[6][i] = "0123456789abcdef"[(strings.IndexByte("0123456789abcdef", l[6][i])+1)%16]
				return l
			},
			[]Problem{{at(7), ProblemAltered, "its hash and its link to the line before are both wrong"}},
		},
		"one byte of the syntax": {
			func(l [][]byte) [][]byte { l[6][0] = '['; return l },
			[]Problem{{Position{File: "f", Line: 7}, ProblemUnreadable, "it is not a line of an audit chain, and no gap line accounts for it"}},
		},
		"a line removed": {
			func(l [][]byte) [][]byte { return append(l[:6], l[7:]...) },
			[]Problem{{Position{"f", 7, 8}, ProblemMissing, "seq 7 is missing before it"}},
		},
		"a line twice": {
			func(l [][]byte) [][]byte { return append(l[:7], append([][]byte{bytes.Clone(l[6])}, l[7:]...)...) },
			[]Problem{{Position{"f", 8, 7}, ProblemOrder, "it comes after seq 7"}},
		},
		"lines exchanged": {
			func(l [][]byte) [][]byte { l[5], l[6] = l[6], l[5]; return l },
			[]Problem{
				{Position{"f", 6, 7}, ProblemMissing, "seq 6 is missing before it"},
				{Position{"f", 7, 6}, ProblemOrder, "it comes after seq 7"},
				{Position{"f", 8, 8}, ProblemMissing, "seq 7 is missing before it"},
			},
		},
		"the first line forged as a later one": {
			func(l [][]byte) [][]byte {
				l[0] = bytes.Replace(l[0], []byte(`"prev":"0`), []byte(`"prev":"1`), 1)
				return l
			},
			[]Problem{
				{at(1), ProblemAltered, "it is the first line of a chain but names one before it"},
				{at(1), ProblemAltered, "its hash is not the one that the next line recorded"},
			},
		},
		"two chains": {
			func(l [][]byte) [][]byte { return append(l, clone(l)...) },
			[]Problem{{Position{"f", 12, 1}, ProblemOrder, "a new chain begins after seq 11"}},
		},
		"a line of another kind in between": {
			func(l [][]byte) [][]byte { return append(l[:3], append([][]byte{[]byte("{}\n")}, l[3:]...)...) },
			[]Problem{{Position{File: "f", Line: 4}, ProblemUnreadable, "it is not a line of an audit chain, and no gap line accounts for it"}},
		},
		"a line that never ends": {
			func(l [][]byte) [][]byte { l[3] = append(bytes.Repeat([]byte("x"), 3*maxLine), '\n'); return l },
			[]Problem{{Position{File: "f", Line: 4}, ProblemUnreadable, "it is not a line of an audit chain, and no gap line accounts for it"}},
		},
		"only blank lines between": {func(l [][]byte) [][]byte { return append(l[:3], append([][]byte{[]byte("\n\n")}, l[3:]...)...) }, nil},
		"begins in the middle":     {func(l [][]byte) [][]byte { return l[4:] }, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := check(t, tc.change(clone(lines)), VerifyOptions{})
			require.Equal(t, tc.want, r.Problems)
			require.Equal(t, tc.want == nil, r.OK())
		})
	}
}

// Any single byte changed anywhere in a signed chain is found. What could turn the last line, a checkpoint, into another kind
// of line shows at least as a tail that no checkpoint covers.
func TestAnyChangeIsFound(t *testing.T) {
	pub, priv := newKey(t)
	lines := chain(t, 5, priv)
	rapid.Check(t, func(rt *rapid.T) {
		l := clone(lines)
		i := rapid.IntRange(0, len(l)-1).Draw(rt, "line")
		j := rapid.IntRange(0, len(l[i])-2).Draw(rt, "byte")
		old := l[i][j]
		l[i][j] = rapid.Byte().Filter(func(b byte) bool { return b != old }).Draw(rt, "value")
		r, err := Verify(context.Background(), []Source{Reader("f", bytes.NewReader(bytes.Join(l, nil)))}, VerifyOptions{PublicKey: pub})
		if err != nil || r.OK() && r.Uncovered == 0 {
			rt.Fatalf("line %d byte %d from %q to %q was not found (%v)", i+1, j, old, l[i][j], err)
		}
	})
}

func TestVerifyRestartsOfStdout(t *testing.T) {
	lines := chain(t, 2, nil)
	r := check(t, append(clone(lines), lines...), VerifyOptions{AllowRestart: true})
	require.True(t, r.OK(), "%+v", r.Problems)
	require.EqualValues(t, 2, r.Chains)
}

func TestVerifySignatures(t *testing.T) {
	pub, priv := newKey(t)
	otherPub, otherPriv := newKey(t)
	lines := chain(t, 3, priv)
	last := len(lines) - 1
	r := check(t, lines, VerifyOptions{PublicKey: pub})
	require.True(t, r.OK(), "%+v", r.Problems)
	require.EqualValues(t, 1, r.Signed)
	require.EqualValues(t, 1, r.Checkpoints)
	require.Zero(t, r.Uncovered)

	for name, tc := range map[string]struct {
		lines  [][]byte
		key    ed25519.PublicKey
		detail string
	}{
		"unsigned":    {chain(t, 3, nil), pub, "the checkpoint is not signed"},
		"other key":   {lines, otherPub, "the checkpoint was signed with another key"},
		"forged tail": {chain(t, 3, otherPriv), pub, "the checkpoint was signed with another key"},
		"moved": {func() [][]byte { // a signature of another place
			l := clone(chain(t, 4, priv))
			sig := lines[last][bytes.Index(lines[last], []byte(`,"sig"`)):]
			cut := bytes.Index(l[len(l)-1], []byte(`,"sig"`))
			l[len(l)-1] = append(l[len(l)-1][:cut:cut], sig...)
			return l
		}(), pub, "the signature does not fit the line"},
		"member after the signature": {func() [][]byte {
			l := clone(lines)
			l[last] = bytes.Replace(l[last], []byte(`"}`), []byte(`","count":0}`), 1)
			l[last] = bytes.Replace(l[last], []byte(`"count":3,`), nil, 1)
			return l
		}(), pub, "the signature does not fit the line"},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, tc.lines, VerifyOptions{PublicKey: tc.key})
			require.Len(t, r.Problems, 1, "%+v", r.Problems)
			require.Equal(t, ProblemSignature, r.Problems[0].Kind)
			require.Equal(t, tc.detail, r.Problems[0].Detail)
			require.Zero(t, r.Signed)
		})
	}
}

// Whoever rewrites a chain without the key can leave the checkpoints out, but not for long.
func TestMissingCheckpointsAreFound(t *testing.T) {
	pub, _ := newKey(t)
	var lines [][]byte
	var prev Hash
	for i := range maxUncovered + 5 {
		line := appendLine(nil, uint64(i+1), prev, &Record{Time: noon, Phase: PhaseRequest}, "v1")
		prev = HashLine(line)
		lines = append(lines, append(line, '\n'))
	}
	r := check(t, lines, VerifyOptions{PublicKey: pub})
	require.Len(t, r.Problems, 1)
	require.Equal(t, ProblemSignature, r.Problems[0].Kind)
	require.EqualValues(t, maxUncovered+5, r.Uncovered)
	require.True(t, check(t, lines[:maxUncovered], VerifyOptions{PublicKey: pub}).OK())
}

func TestAnchor(t *testing.T) {
	lines := chain(t, 5, nil)
	head := check(t, lines, VerifyOptions{}).Head
	anchor, err := ParseAnchor(head.String())
	require.NoError(t, err)
	require.Equal(t, head, anchor)
	text, err := json.Marshal(head)
	require.NoError(t, err)
	require.Equal(t, `"`+head.String()+`"`, string(text))
	require.True(t, check(t, lines, VerifyOptions{Anchor: &anchor}).OK())

	r := check(t, lines[:4], VerifyOptions{Anchor: &anchor})
	require.Equal(t, []Problem{{Position{"f", 4, 4}, ProblemAnchor, "the chain ends before the anchored seq 6: its tail was cut"}}, r.Problems)
	r = check(t, lines[2:], VerifyOptions{Anchor: &Anchor{Seq: 1}})
	require.Equal(t, "the anchored seq 1 is not in the files given", r.Problems[0].Detail)
	forged := anchor
	forged.Hash[0] ^= 1
	r = check(t, lines, VerifyOptions{Anchor: &forged})
	require.Equal(t, []Problem{{Position{"f", 6, 6}, ProblemAnchor, "its hash is not the anchored one"}}, r.Problems)

	for _, bad := range []string{"", "5", "0:" + head.Hash.String(), "x:" + head.Hash.String(), "5:abc", "5:" + strings.Repeat("z", 64), "-1:" + head.Hash.String()} {
		_, err := ParseAnchor(bad)
		require.Error(t, err, bad)
	}
}

func TestGapMustMatchTheDamage(t *testing.T) {
	lines := chain(t, 3, nil)
	// A gap line that owns up to one damaged line does not cover two.
	b := newBench(t)
	require.NoError(t, os.WriteFile(b.path, append(bytes.Join(lines, nil), `{"seq":5,"pr`...), 0o600))
	w := b.start()
	require.NoError(t, w.Close())
	data, err := os.ReadFile(b.path)
	require.NoError(t, err)
	require.True(t, b.verify(VerifyOptions{}).OK())
	require.NoError(t, os.WriteFile(b.path, bytes.Replace(data, []byte(`{"seq":5,"pr`+"\n"), []byte("one\ntwo\n"), 1), 0o600))
	r := b.verify(VerifyOptions{})
	require.Len(t, r.Problems, 2)
	require.Equal(t, ProblemUnreadable, r.Problems[0].Kind)
}

func TestProblemsAreBounded(t *testing.T) {
	noise := bytes.Repeat([]byte("noise\n"), 1000)
	r, err := Verify(context.Background(), []Source{Reader("f", bytes.NewReader(noise))}, VerifyOptions{})
	require.NoError(t, err)
	require.Len(t, r.Problems, maxProblems)
	require.EqualValues(t, 1000-maxProblems, r.More)
	require.Zero(t, r.Lines)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("input/output error") }

func TestVerifyReadErrors(t *testing.T) {
	_, err := Verify(context.Background(), []Source{Reader("f", brokenReader{})}, VerifyOptions{})
	require.ErrorContains(t, err, `read "f" line 1: input/output error`)
	_, err = Files(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	bad := filepath.Join(t.TempDir(), "a.gz")
	require.NoError(t, os.WriteFile(bad, []byte("not gzip"), 0o600))
	_, err = Files(bad)
	require.ErrorContains(t, err, bad)
	_, err = Files(bad, os.DevNull)
	require.ErrorContains(t, err, bad)
	_, err = Files(os.DevNull, os.DevNull)
	require.ErrorContains(t, err, "no regular file")

	ctx, cancel := context.WithCancel(context.Background())
	_, err = Verify(ctx, []Source{Reader("f", endless(cancel))}, VerifyOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

// endless is a source without an end that calls itself whenever it is read.
type endless func()

func (e endless) Read(p []byte) (int, error) {
	e()
	return copy(p, bytes.Repeat([]byte("x\n"), len(p)/2)), nil
}

func TestKeys(t *testing.T) {
	pub, priv := newKey(t)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(priv)
	require.NoError(t, err)
	pkix, err := x509.MarshalPKIXPublicKey(pub)
	require.NoError(t, err)
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	rsaDER, err := x509.MarshalPKCS8PrivateKey(rsaKey)
	require.NoError(t, err)
	rsaPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: rsaDER})
	junk := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("junk")})

	got, err := ParseSigningKey(private)
	require.NoError(t, err)
	require.Equal(t, priv, got)
	for _, in := range [][]byte{private, public} {
		got, err := ParseVerifyKey(in)
		require.NoError(t, err)
		require.Equal(t, pub, got)
	}
	require.Len(t, KeyID(pub), 16)
	for _, in := range [][]byte{nil, public, rsaPEM, junk} {
		_, err := ParseSigningKey(in)
		require.Error(t, err)
	}
	for _, in := range [][]byte{nil, rsaPEM, junk} {
		_, err := ParseVerifyKey(in)
		require.Error(t, err)
	}
}

// Whatever bytes a file holds, checking and counting it neither fails nor panics.
func FuzzVerify(f *testing.F) {
	var out bytes.Buffer
	w, err := Open(Options{Path: Stdout, Stdout: &out, Now: (&clock{noon}).now})
	require.NoError(f, err)
	require.NoError(f, w.Append(fullRecord()))
	require.NoError(f, w.Close())
	f.Add(out.Bytes())
	f.Add([]byte("\n\n{"))
	f.Fuzz(func(t *testing.T, in []byte) {
		src := func() []Source { return []Source{Reader("f", bytes.NewReader(in))} }
		_, err := Verify(context.Background(), src(), VerifyOptions{})
		require.NoError(t, err)
		_, err = Summarise(context.Background(), src())
		require.NoError(t, err)
		_, _ = scanTail(in, true)
	})
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("y", maxLine)
	lr := lineReaderOf("a\n\n" + long + "\n" + long + "yy\nlast")
	for _, want := range []rawLine{
		{text: []byte("a"), ended: true}, {text: []byte{}, ended: true}, {text: []byte(long), ended: true},
		{text: []byte(long), ended: true, tooLong: true}, {text: []byte("last")},
	} {
		got, err := lr.next()
		require.NoError(t, err)
		require.Equal(t, want.ended, got.ended)
		require.Equal(t, want.tooLong, got.tooLong)
		require.True(t, bytes.Equal(want.text, got.text))
	}
	_, err := lr.next()
	require.ErrorIs(t, err, io.EOF)
}

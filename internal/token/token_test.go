package token

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	keyA = "key-a-0123456789abcdef"
	keyB = "key-b-0123456789abcdef"
)

var start = time.UnixMilli(1_790_000_000_123)

// clock is a time that the test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func ring(t require.TestingT, c *clock, keys ...string) *Keyring {
	k, err := NewKeyring(keys, Options{Now: c.now})
	require.NoError(t, err)
	return k
}

func claims() Claims {
	return Claims{
		Exchange: "0c4b1f9e-8f52-4b6a-9d0c-7f7f8d1f0001", Service: "k8s", Method: "tools/call", Tool: "get_secret",
		TraceKey: [16]byte{1, 2, 3}, Shared: true,
	}
}

func TestSignAndVerify(t *testing.T) {
	c := &clock{start}
	k := ring(t, c, keyA)
	text := k.Sign(claims())
	require.Less(t, len(text), MaxLength)
	c.t = c.t.Add(59 * time.Minute)
	got, result := k.Verify(text, "k8s", "tools/call")
	require.Equal(t, Valid, result)
	want := claims()
	want.IssuedAt, want.ID = start, got.ID
	require.NotZero(t, got.ID)
	require.Equal(t, want, got)
}

func TestResults(t *testing.T) {
	c := &clock{start}
	k := ring(t, c, keyA)
	text := k.Sign(claims())
	flipped := []byte(text)
	flipped[len(flipped)/2] ^= 1
	for _, tc := range []struct {
		name            string
		text            string
		service, method string
		after           time.Duration
		want            Result
		suspect         bool
	}{
		{"valid", text, "k8s", "tools/call", time.Hour, Valid, false},
		{"missing", "", "k8s", "tools/call", 0, Missing, false},
		{"a ring with another key", ring(t, c, keyB).Sign(claims()), "k8s", "tools/call", 0, UnknownKey, false},
		{"a ring with a random key", ring(t, c).Sign(claims()), "k8s", "tools/call", 0, UnknownKey, false},
		{"not a token", "mcpGuardrails.call", "k8s", "tools/call", 0, UnknownKey, false},
		{"too long to be one", strings.Repeat("A", MaxLength), "k8s", "tools/call", 0, UnknownKey, false},
		{"another version", "Ag" + text[2:], "k8s", "tools/call", 0, UnknownKey, false},
		{"too old", text, "k8s", "tools/call", time.Hour + time.Millisecond, Expired, false},
		{"a clock far behind", text, "k8s", "tools/call", -time.Hour - time.Millisecond, Expired, false},
		{"a clock a little behind", text, "k8s", "tools/call", -time.Minute, Valid, false},
		{"changed", string(flipped), "k8s", "tools/call", 0, Forged, true},
		{"cut", text[:len(text)-4], "k8s", "tools/call", 0, Forged, true},
		{"another service", text, "mail", "tools/call", 0, Mismatch, true},
		{"no service", text, "", "tools/call", 0, Mismatch, true},
		{"another method", text, "k8s", "tools/list", 0, Mismatch, true},
		{"expired before mismatched", text, "mail", "tools/call", 2 * time.Hour, Expired, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c.t = start.Add(tc.after)
			got, result := k.Verify(tc.text, tc.service, tc.method)
			require.Equal(t, tc.want, result)
			require.Equal(t, tc.suspect, result.Suspicious())
			if result != Valid && result != Expired && result != Mismatch {
				require.Zero(t, got)
			}
		})
	}
	names := map[string]bool{}
	for r := Missing; r <= Mismatch; r++ {
		names[r.String()] = true
	}
	require.Len(t, names, 6)
	require.Equal(t, "unknown", Result(9).String())
}

func TestRotation(t *testing.T) {
	c := &clock{start}
	old, both, next := ring(t, c, keyA), ring(t, c, keyB, keyA), ring(t, c, keyB)
	verify := func(k *Keyring, text string) Result {
		_, r := k.Verify(text, "k8s", "tools/call")
		return r
	}
	require.Equal(t, Valid, verify(both, old.Sign(claims())), "all verify")
	require.Equal(t, UnknownKey, verify(old, both.Sign(claims())), "the first signs")
	require.Equal(t, Valid, verify(next, both.Sign(claims())))
}

func TestTwoTokensNeverShareAnIdentity(t *testing.T) {
	k := ring(t, &clock{start}, keyA)
	seen := map[[16]byte]bool{}
	for range 1000 {
		c, r := k.Verify(k.Sign(claims()), "k8s", "tools/call")
		require.Equal(t, Valid, r)
		require.False(t, seen[c.ID])
		seen[c.ID] = true
	}
}

func TestKeyringRefuses(t *testing.T) {
	_, err := NewKeyring([]string{keyA, "short-secret"}, Options{})
	require.EqualError(t, err, "token keyring: key 2 of 2 is under 16 bytes")
	_, err = NewKeyring(nil, Options{Rand: bytes.NewReader(nil)})
	require.ErrorContains(t, err, "make a random key")
	_, err = NewKeyring(nil, Options{MaxAge: -1})
	require.Error(t, err)
}

// brokenAfter is a random source that gives out.
type brokenAfter struct{ left int }

func (b *brokenAfter) Read(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("no entropy")
	}
	return len(p), nil
}

func TestSignsWithoutEntropy(t *testing.T) {
	k, err := NewKeyring(nil, Options{Rand: &brokenAfter{32}})
	require.NoError(t, err)
	_, r := k.Verify(k.Sign(claims()), "k8s", "tools/call")
	require.Equal(t, Valid, r)
}

func TestTraceKeysDoNotCollide(t *testing.T) {
	k := ring(t, &clock{start}, keyA)
	lists := [][]string{
		{"meta.principal", "ana"}, {"meta.principalana"}, {"meta.principal", "ana", ""}, {"meta.session", "ana"}, {"", "meta.principal", "ana"}, {},
	}
	seen := map[[16]byte]bool{}
	for _, parts := range lists {
		key := k.TraceKey(parts...)
		require.Equal(t, key, k.TraceKey(parts...))
		require.False(t, seen[key], "%q", parts)
		seen[key] = true
	}
	require.NotEqual(t, k.TraceKey("a"), ring(t, &clock{start}, keyB).TraceKey("a"), "it is keyed")
	require.Equal(t, k.TraceKey("a"), ring(t, &clock{start}, keyA, keyB).TraceKey("a"), "replicas agree")
}

// Whatever the names are, the token is short, comes back valid, keeps tool names
// of up to 128 bytes, and belongs to this service and method only.
func TestAnyNamesFit(t *testing.T) {
	k := ring(t, &clock{start}, keyA)
	name := func(t *rapid.T, label string, most int) string {
		return rapid.OneOf(
			rapid.StringN(0, most, most), rapid.Just(strings.Repeat("x", most)), rapid.Just("~"), rapid.Just(""),
			rapid.SampledFrom(knownMethods),
		).Draw(t, label)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := Claims{
			Exchange: name(t, "exchange", 400), Service: name(t, "service", 400), Method: name(t, "method", 400),
			Tool: name(t, "tool", rapid.SampledFrom([]int{128, 400}).Draw(t, "most")), Shared: rapid.Bool().Draw(t, "shared"),
		}
		text := k.Sign(in)
		require.Less(t, len(text), MaxLength)
		out, r := k.Verify(text, in.Service, in.Method)
		require.Equal(t, Valid, r)
		require.Equal(t, in.Shared, out.Shared)
		for _, pair := range [][2]string{{in.Exchange, out.Exchange}, {in.Service, out.Service}, {in.Method, out.Method}, {in.Tool, out.Tool}} {
			require.True(t, same(pair[1], pair[0]), "%q came back as %q", pair[0], pair[1])
		}
		known := false
		for _, m := range knownMethods {
			known = known || m == in.Method
		}
		if len(in.Tool) <= 128 && known && !strings.HasPrefix(in.Tool, digestMark) {
			require.Equal(t, in.Tool, out.Tool)
		}
		_, r = k.Verify(text, in.Service+"x", in.Method)
		require.Equal(t, Mismatch, r)
		_, r = k.Verify(text, in.Service, in.Method+"x")
		require.Equal(t, Mismatch, r)
	})
}

// A token has one spelling: changing any character makes it invalid, and so does
// adding one, line breaks included.
func TestEveryCharacterCounts(t *testing.T) {
	k := ring(t, &clock{start}, keyA)
	text := k.Sign(claims())
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range text {
		for _, c := range alphabet {
			changed := text[:i] + string(c) + text[i+1:]
			_, r := k.Verify(changed, "k8s", "tools/call")
			require.Equal(t, changed == text, r == Valid, "position %d as %c", i, c)
		}
	}
	for i := range len(text) + 1 {
		for _, c := range alphabet + "=\r\n \t" {
			_, r := k.Verify(text[:i]+string(c)+text[i:], "k8s", "tools/call")
			require.NotEqual(t, Valid, r, "%q added at %d", c, i)
		}
	}
}

func FuzzVerify(f *testing.F) {
	// The fuzzer runs this in several processes: the one good token is the same in
	// all of them.
	k, err := NewKeyring([]string{keyA}, Options{Now: func() time.Time { return start }, Rand: &brokenAfter{}})
	require.NoError(f, err)
	good := k.Sign(claims())
	f.Add(good)
	f.Add("")
	f.Add(good[:80])
	f.Add(base64.RawURLEncoding.EncodeToString(make([]byte, 200)))
	f.Fuzz(func(t *testing.T, text string) {
		c, r := k.Verify(text, "k8s", "tools/call")
		if r == Valid && text != good {
			t.Fatalf("a token that was never signed is valid: %v", c)
		}
	})
}

// Even a body that a key of ours signed must be taken apart without a fault.
func FuzzDecode(f *testing.F) {
	f.Add(appendFields(make([]byte, fields), claims()))
	f.Add(make([]byte, fields+4))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) < fields {
			return
		}
		c, ok := decode(body)
		if ok && c.Exchange != "" && strings.HasPrefix(c.Exchange, digestMark) && len(c.Exchange) == 1 {
			t.Fatal("a digest lost its digits")
		}
	})
}

func BenchmarkSign(b *testing.B) {
	k := ring(b, &clock{start}, keyA)
	b.ReportAllocs()
	for b.Loop() {
		k.Sign(claims())
	}
}

func BenchmarkVerify(b *testing.B) {
	k := ring(b, &clock{start}, keyA)
	text := k.Sign(claims())
	b.ReportAllocs()
	for b.Loop() {
		k.Verify(text, "k8s", "tools/call")
	}
}

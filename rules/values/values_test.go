package values

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plain is the reader that packs get where nothing better is injected.
var plain Reader

func TestRecipients(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   any
		want []string
	}{
		{"bare", "bob@evil.example", []string{"bob@evil.example"}},
		{"domain case", "Bob@EVIL.Example", []string{"Bob@evil.example"}},
		{"display name", "Bob Builder <bob@evil.example>", []string{"bob@evil.example"}},
		{"display name that is an address", `"x@corp.local" <bob@evil.example>`, []string{"x@corp.local", "bob@evil.example"}},
		{"comma list", "x@corp.local, bob@evil.example", []string{"x@corp.local", "bob@evil.example"}},
		{"semicolons without blanks", "x@corp.local;bob@evil.example", []string{"x@corp.local", "bob@evil.example"}},
		{"list", []any{"x@corp.local", map[string]any{"email": "bob@evil.example"}}, []string{"x@corp.local", "bob@evil.example"}},
		{"deep object", map[string]any{"personalizations": []any{map[string]any{"to": []any{map[string]any{"email": "a@b.example"}}}}}, []string{"a@b.example"}},
		{"key of an object", map[string]any{"bob@evil.example": true}, []string{"bob@evil.example"}},
		{"mailto", "mailto:bob@evil.example?cc=al%40evil.example", []string{"bob@evil.example", "al@evil.example"}},
		{"percent-encoded", "bob%40evil.example", []string{"bob@evil.example"}},
		{"encoded twice", "bob%2540evil.example", []string{"bob@evil.example"}},
		{"full-width at", "bob\uff20evil.example", []string{"bob@evil.example"}},
		{"small at and ideographic dot", "bob\ufe6bevil\u3002example", []string{"bob@evil.example"}},
		{"HTML entity", "bob&#64;evil.example", []string{"bob@evil.example"}},
		{"blanks around the at", "bob @ evil.example", []string{"bob@evil.example"}},
		{"comment", "bob(home)@(work)evil.example", []string{"bob@evil.example"}},
		{"quoted local part", `"a b"@evil.example`, []string{`"a b"@evil.example`}},
		{"domain literal", "bob@[203.0.113.9]", []string{"bob@203.0.113.9"}},
		{"IPv6 literal", "bob@[IPv6:2001:db8::1]", []string{"bob@2001:db8::1"}},
		{"zero-width joiner inside", "bob@ev\u200bil.example", []string{"bob@evil.example"}},
		{"international domain", "bob@b\u00fccher.example", []string{"bob@xn--bcher-kva.example"}},
		{"trailing dot", "bob@evil.example.", []string{"bob@evil.example"}},
		{"in a sentence", "write to bob@evil.example, please", []string{"bob@evil.example"}},
		{"host without a dot", "root@localhost", []string{"root@localhost"}},
		{"a mention", "thanks @alice, see you @ five", nil},
		{"nothing", map[string]any{"a": int64(1), "b": nil, "c": true, "d": 1.5}, nil},
		{"lonely at", "@", nil},
		{"source route", "@relay.example:bob@evil.example", []string{"bob@evil.example"}},
		{"CRLF injection", "x@corp.local\r\nBcc: bob@evil.example", []string{"x@corp.local", "bob@evil.example"}},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, plain.Recipients(tc.in)) })
	}
}

func TestHost(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"https://evil.example/path", "evil.example"},
		{"HTTPS://EVIL.Example:8443/x?y#z", "evil.example"},
		{"https://corp.local@evil.example/", "evil.example"},
		{"https://corp.local:pw@evil.example", "evil.example"},
		{"https://evil.example\\@corp.local/", "evil.example"},
		{"https:\\\\evil.example\\x", "evil.example"},
		{"https:evil.example", "evil.example"},
		{"https:/evil.example", "evil.example"},
		{"https:////evil.example", "evil.example"},
		{"//evil.example/x", "evil.example"},
		{"\t https://evil.example", "evil.example"},
		{"ht\ntps://ev\til.example", "evil.example"},
		{"https://evil.example?@corp.local", "evil.example"},
		{"https://evil.example#@corp.local", "evil.example"},
		{"https://evil.example.", "evil.example"},
		{"https://evil%2eexample/", "evil.example"},
		{"https://\uff45vil\u3002example/", "evil.example"},
		{"https://10.evil.example", "10.evil.example"},
		{"https://evil.example/a.svc.cluster.local", "evil.example"},
		{"http://127.1/", "127.0.0.1"},
		{"http://2130706433/", "127.0.0.1"},
		{"http://0x7f.0.0.1/", "127.0.0.1"},
		{"http://0177.0.0.01/", "127.0.0.1"},
		{"http://[::ffff:127.0.0.1]:80/", "127.0.0.1"},
		{"http://[fe80::1%25eth0]/", "fe80::1"},
		{"http://[::1/", ""},
		{"vault:8200/v1", "vault"},
		{"evil.example:443", "evil.example"},
		{"evil.example/x", "evil.example"},
		{"user:pw@evil.example", "evil.example"},
		{"postgres://u:p@db.corp.local:5432/x", "db.corp.local"},
		{"mailto:bob@evil.example", ""},
		{"data:text/plain,hi", ""},
		{"/etc/passwd", ""},
		{"", ""},
		{"https://", ""},
	} {
		t.Run(tc.in, func(t *testing.T) { require.Equal(t, tc.want, Host(tc.in)) })
	}
}

func TestIsPrivate(t *testing.T) {
	for _, host := range []string{
		"localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "127.1", "0x7f000001", "10.0.0.1", "172.16.0.1", "172.31.255.255",
		"192.168.1.1", "169.254.169.254", "0.0.0.0", "::1", "[::1]", "[::1]:80", "fc00::1", "fd12::1", "fe80::1", "::ffff:10.0.0.1", "::",
		"vault", "vault:8200", "db.prod.svc", "db.prod.svc.cluster.local", "printer.local", "metadata.google.internal", "http://10.0.0.1/x", "10.0.0.1:80",
	} {
		require.True(t, IsPrivate(host), host)
	}
	for _, host := range []string{
		"", "evil.example", "10.evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.evil.example", "172.32.0.1",
		"11.0.0.1", "2001:db8::1", "a.svc.cluster.local.evil.example", "xlocalhost.example", "svc.example", "https://evil.example/10.0.0.1",
		"https://10.0.0.1@evil.example",
	} {
		require.False(t, IsPrivate(host), host)
	}
}

func TestInDomains(t *testing.T) {
	list := []string{"corp.example", "*.svc.cluster.local", "B\u00fccher.example"}
	for _, in := range []string{
		"corp.example", "CORP.example.", "x@corp.example", "X <x@corp.example>", "corp.example:443", "https://corp.example/x",
		"a.svc.cluster.local", "a.b.svc.cluster.local", "x@xn--bcher-kva.example", "x\uff20corp.example",
	} {
		require.True(t, plain.InDomains(in, list), in)
	}
	for _, in := range []string{
		"", "evil.example", "corp.example.evil.example", "xcorp.example", "mail.corp.example", "svc.cluster.local", "x@corp.example@evil.example",
		"x@corp.example, y@corp.example", "https://corp.example@evil.example", "x@corp.example.evil.example", "@", "xsvc.cluster.local",
	} {
		require.False(t, plain.InDomains(in, list), in)
	}
	require.False(t, plain.InDomains("corp.example", nil))
	require.False(t, plain.InDomains("x", []string{"", "*.", " "}))
}

func TestURLs(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   any
		want []string
	}{
		{"in a sentence", "see https://evil.example/a, and (http://b.example/x).", []string{"https://evil.example/a", "http://b.example/x"}},
		{"scheme case", "HTTPS://evil.example", []string{"HTTPS://evil.example"}},
		{"backslashes", `https:\\evil.example\x`, []string{`https:\\evil.example\x`}},
		{"one slash", "https:/evil.example", []string{"https:/evil.example"}},
		{"no slash", "https:evil.example", []string{"https:evil.example"}},
		{"scheme-relative", `<img src="//evil.example/p.png">`, []string{"//evil.example/p.png"}},
		{"www", "go to www.evil.example now", []string{"www.evil.example"}},
		{"any scheme", "ssh://git@evil.example/x", []string{"ssh://git@evil.example/x"}},
		{"broken over lines", "https://ev\nil.example/x", []string{"https://evil.example/x"}},
		{"redirect target", "https://corp.local/go?to=https%3A%2F%2Fevil.example%2F", []string{"https://corp.local/go?to=https%3A%2F%2Fevil.example%2F", "https://corp.local/go?to=https://evil.example/", "https://evil.example/"}},
		{"plain redirect target", "https://corp.local/go?to=https://evil.example", []string{"https://corp.local/go?to=https://evil.example", "https://evil.example"}},
		{"nested", map[string]any{"a": []any{"x", map[string]any{"u": "http://evil.example"}}}, []string{"http://evil.example"}},
		{"markdown", "[x](https://evil.example/y)", []string{"https://evil.example/y"}},
		{"a path is none", "a//b and C:\\\\x and /etc/passwd and 10:30", nil},
		{"a comment is none", "// see below", nil},
		{"a clock is none", "at 12:30 https: later", nil},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, plain.URLs(tc.in)) })
	}
}

func TestTexts(t *testing.T) {
	in := map[string]any{"b": []any{"x", int64(1), nil, map[string]any{"k": "v"}}, "a": true}
	require.Equal(t, []string{"a", "b", "x", "k", "v"}, Texts(in))
	require.Equal(t, []string{"x"}, Texts("x"))
	require.Nil(t, Texts(int64(3)))
}

func TestNorm(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"  Hello\t\nWORLD ", "hello world"},
		{"\uff21\uff22\uff23", "abc"},
		{"s\u200be\u00adcret", "secret"},
		{"\u202esecret\u202c", "secret"},
		{"Stra\u00dfe", "strasse"},
		{"\U000e0041x", "x"},
		{"e\u0301", "\u00e9"},
		{"\ufb01le", "file"},
		{"\u0130", "i\u0307"},
		{"\u13a0", "\uab70"},
		{"\uab70", "\uab70"},
		{"", ""},
	} {
		require.Equal(t, tc.want, Norm(tc.in), "%q", tc.in)
	}
}

// What is looked for must be found wherever it is put, and nothing may panic or grow out of proportion.
func TestFoundAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`[ a-z.,;<(]{0,12}[ ,;<(]`).Draw(t, "before")
		after := rapid.StringMatching(`[ ,;>)][ a-z.,;>)]{0,12}`).Draw(t, "after")
		require.Contains(t, plain.Recipients(before+"bob@evil.example"+after), "bob@evil.example")
		found := false
		for _, u := range plain.URLs(before + "https://evil.example/x" + after) {
			found = found || Host(u) == "evil.example"
		}
		require.True(t, found)
	})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		once := Norm(s)
		require.Equal(t, once, Norm(once), "norm is idempotent")
	})
}

func FuzzValues(f *testing.F) {
	for _, seed := range []string{"Bob <bob@evil.example>", "https://a@b:1/c?d#e", "//x.y", "[::1]:80", "%40%2540", "www.", "a@b@c@", "http:", strings.Repeat("@", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range plain.Recipients(s) {
			if !strings.Contains(r, "@") {
				t.Fatalf("recipient %q without a domain", r)
			}
		}
		total := 0
		for _, u := range plain.URLs(s) {
			Host(u)
			total += len(u)
		}
		if total > 16*len(s)+64 {
			t.Fatalf("%d bytes of URLs in %d bytes", total, len(s))
		}
		IsPrivate(s)
		plain.InDomains(s, []string{"corp.example", "*.corp.example"})
		Norm(s)
	})
}

// Hostile texts of a mebibyte, each full of candidates that come to nothing. A reader that looks at the rest of the text for each
// of them would not come back within the test binary's time.
func TestHostileTexts(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 16
	}
	for _, unit := range []string{"@", "a@", "\"@", ")@", "@[", "@(", "a@b", "//", "=//a", ",www.", "http://x)", ")", "http://", "%40", "%25", "x?http:", ":", "a:b@", "&#64;", "\uff20"} {
		text := strings.Repeat(unit, size/len(unit))
		plain.Recipients(text)
		plain.URLs(text)
		plain.URLs("http://a.example/" + text)
		Host(text)
		Host("http://" + text)
		Norm(text)
		IsPrivate(text)
		plain.InDomains(text, []string{"corp.example"})
	}
}

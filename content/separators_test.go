package content

import (
	"context"
	"encoding/json/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// separators are what may stand before and after a secret: a scan of a JSON dump sees letters where the text has
// a line feed or a tab, and misses what starts after one.
var separators = []string{
	"\n", "\t", "\r", "\r\n", "\x00", "\x1b", "\x7f", "\v", "\f", " ", "\n\n", `"`, "'", "`", "(", ")", "[", "]", "{", "}", "<", ">", "=", ":", ";", ",", "|", "/", `\`,
	"&", "?", "#", "@", "!", "*", "+", "~", "^", "%", "$", ".", "\u00a0", "\u2028", "\u2029", "\u3000", "\u200b", "\ufeff", "é", "中", "😀", `{"a":"`, `["`, `\n`, `\"`, `x=`, `"key": "`,
}

// TestTokensAfterEverySeparator puts every shape of token after and before every separator, at the start and at
// the end of a text, in values and keys, in requests and results, bare and in a JSON document in a string. A
// separator that the token's own body may contain cannot end it.
func TestTokensAfterEverySeparator(t *testing.T) {
	tried := 0
	try := func(x sample, before, after string) {
		tried++
		text := before + x.text + after
		for _, key := range []bool{false, true} {
			for _, side := range []Side{SideRequest, SideResponse} {
				body, want := wrapText(t, text, key, side, false)
				expectAt(t, x, body, side, key, want, text)
			}
		}
		body, _ := wrapText(t, text, false, SideResponse, true)
		expectAt(t, x, body, SideResponse, false, "", text)
	}
	all := tokenSamples()
	for i, x := range all {
		try(x, "", "")
		for _, sep := range separators {
			try(x, sep, "")
			try(x, "x"+sep, "")
			if !tokens[i].set[sep[0]] {
				try(x, "", sep)
				try(x, sep, sep+"x")
			}
		}
	}
	require.Greater(t, tried, 10_000)
}

// TestOtherShapesAfterEverySeparator does the same with the secrets and the personal data that have more
// structure, over the separators that end a word in every one of them.
func TestOtherShapesAfterEverySeparator(t *testing.T) {
	plain := []string{"\n", "\t", "\r", "\r\n", "\x00", " ", "\n\n", `"`, "'", "`", "(", ")", "[", "]", "{", "}", "<", ">", ";", ",", "|", "\u00a0", "\u2028", "\u3000", "中", "😀", `{"a":"`, `["`, `\"`, `"key": "`}
	for _, name := range []string{"private-key", "credential", "bearer-token", "jwt", "connection-string", "slack-webhook", "azure-key", "email", "phone", "payment-card", "iban", "us-ssn", "url-credentials", "chat-control-token"} {
		i := slices.IndexFunc(samples, func(s sample) bool { return s.detector == name })
		for _, sep := range plain {
			for _, text := range []string{samples[i].text, sep + samples[i].text, "x" + sep + samples[i].text, samples[i].text + sep, sep + samples[i].text + sep + "x"} {
				for _, side := range []Side{SideRequest, SideResponse} {
					for _, key := range []bool{false, true} {
						body, want := wrapText(t, text, key, side, false)
						expectAt(t, samples[i], body, side, key, want, text)
					}
				}
			}
		}
	}
}

// wrapText puts text into a message and returns the pointer of its place, "" when that is in an embedded document.
func wrapText(t *testing.T, text string, key bool, side Side, embedded bool) (body, pointer string) {
	t.Helper()
	q := quote(t, text)
	if key {
		q += ":1"
	} else {
		q = `"v":` + q
	}
	q = "{" + q + "}"
	name := escapePointer(text)
	if !key {
		name = "v"
	}
	switch {
	case embedded:
		return result(q), ""
	case side == SideRequest:
		return `{"name":"n","arguments":` + q + `}`, "/arguments/" + name
	}
	return `{"content":[],"structuredContent":` + q + `}`, "/structuredContent/" + name
}

func expectAt(t *testing.T, x sample, body string, side Side, key bool, pointer, text string) {
	t.Helper()
	d, err := Parse([]byte(body), Limits{})
	require.NoError(t, err)
	require.NoError(t, d.Assign("tools/call", side))
	r, err := Builtin().Scan(context.Background(), d, side)
	require.NoError(t, err)
	n := 0
	for _, f := range r.Findings {
		if f.Detector == x.detector {
			n++
			if pointer != "" && f.Path != pointer || d.Strings()[f.String].Key != key {
				t.Fatalf("%s in %q: found at %s", x.detector, text, f.Path)
			}
		}
	}
	if n != 1 {
		t.Fatalf("%s in %q (key %v, %d): found %d times of %+v", x.detector, text, key, side, n, r.Findings)
	}
	if key || side == SideRequest {
		return
	}
	// What is found in a result is gone after redaction.
	w, err := Rewrite(d, Mutation{Mask: r.Findings})
	require.NoError(t, err)
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Detector == x.detector && f.Mask != "" }) {
		var out any
		require.NoError(t, json.Unmarshal(w.Bytes, &out))
		require.NotContains(t, string(w.Bytes), x.text, "%s in %q", x.detector, text)
	}
}

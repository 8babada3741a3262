package content

import (
	"bytes"
	"encoding/json/jsontext"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func kindOf(t testing.TB, err error) ParseErrorKind {
	t.Helper()
	var pe *ParseError
	require.ErrorAs(t, err, &pe)
	return pe.Kind
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, body string
		want       ParseErrorKind
	}{
		{"nothing", "", KindEmpty},
		{"blanks", " \n\t ", KindEmpty},
		{"byte order mark", "\xef\xbb\xbf{}", KindBOM},
		{"byte order mark alone", "\xef\xbb\xbf", KindBOM},
		{"trailing value", `{} {}`, KindTrailingData},
		{"trailing word", `"a" x`, KindTrailingData},
		{"trailing comma", `[1],`, KindTrailingData},
		{"NUL after", "{}\x00", KindTrailingData},
		{"NaN", `{"a":NaN}`, KindSyntax},
		{"Infinity", `{"a":-Infinity}`, KindSyntax},
		{"comment", `{/* x */}`, KindSyntax},
		{"leading zero", `[01]`, KindSyntax},
		{"single quotes", `{'a':1}`, KindSyntax},
		{"comma at the end", `[1,]`, KindSyntax},
		{"raw control", "\"a\x01b\"", KindSyntax},
		{"raw line feed", "\"a\nb\"", KindSyntax},
		{"name without value", `{"a"}`, KindSyntax},
		{"number as name", `{1:2}`, KindSyntax},
		{"invalid UTF-8", "\"\xff\"", KindInvalidUTF8},
		{"overlong UTF-8", "\"\xc0\xaf\"", KindInvalidUTF8},
		{"encoded surrogate", "\"\xed\xa0\x80\"", KindInvalidUTF8},
		{"lone high surrogate", `"\ud83d"`, KindInvalidUTF8},
		{"lone low surrogate", `"\udc00 "`, KindInvalidUTF8},
		{"swapped surrogates", `"\udc00\ud83d"`, KindInvalidUTF8},
		{"cut escape", `"\u12`, KindTruncated},
		{"cut object", `{"a":`, KindTruncated},
		{"duplicate", `{"a":1,"a":1}`, KindDuplicateName},
		{"duplicate by escape", `{"a/b":1,"a\/b":1}`, KindDuplicateName},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.body), Limits{})
			require.Equal(t, tt.want.String(), kindOf(t, err).String())
			require.NotContains(t, err.Error(), "\x01")
		})
	}
}

func TestParseAcceptsAnyValue(t *testing.T) {
	for _, body := range []string{`null`, `true`, ` 1e400 `, `-0`, `"a"`, `[]`, `{}`, "\n{}\r\n", `{"a":1,"A":2}`, `"\u0000"`, `"\ud83d\ude00"`} {
		d, err := Parse([]byte(body), Limits{})
		require.NoError(t, err, body)
		require.Equal(t, body, string(d.Raw()))
	}
}

func TestParseLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	_, err := Parse([]byte(nested(DefaultMaxDepth)), Limits{})
	require.NoError(t, err)
	_, err = Parse([]byte(nested(DefaultMaxDepth+1)), Limits{})
	require.Equal(t, KindTooDeep, kindOf(t, err))
	_, err = Parse([]byte(nested(100_000)), Limits{MaxDepth: 50_000})
	require.Equal(t, KindTooDeep, kindOf(t, err))

	body := `{"a":"b"}`
	for _, tt := range []struct {
		lim Limits
		ok  bool
	}{
		{Limits{MaxBytes: len(body) - 1}, false}, {Limits{MaxBytes: len(body)}, true}, {Limits{MaxBytes: len(body) + 1}, true},
	} {
		_, err := Parse([]byte(body), tt.lim)
		require.Equal(t, tt.ok, err == nil)
		if err != nil {
			require.Equal(t, KindTooLarge, kindOf(t, err))
		}
	}
	strs := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"",`, n), ",") + "]" }
	for n, ok := range map[int]bool{9: true, 10: true, 11: false} {
		_, err := Parse([]byte(strs(n)), Limits{MaxStrings: 10})
		require.Equal(t, ok, err == nil, n)
		if err != nil {
			require.Equal(t, KindTooManyStrings, kindOf(t, err))
		}
	}
	_, err = Parse([]byte(strs(DefaultMaxStrings)), Limits{})
	require.NoError(t, err)
	_, err = Parse([]byte(strs(DefaultMaxStrings+1)), Limits{})
	require.Equal(t, KindTooManyStrings, kindOf(t, err))
}

func TestParseStrings(t *testing.T) {
	body := `{"a\u002fb":["x","\"y\"\n\u00e9\ud83d\ude00",{"~k":"v"}], "n":1 , "t":"z"}`
	d, err := Parse([]byte(body), Limits{})
	require.NoError(t, err)
	type row struct {
		text, pointer string
		key           bool
	}
	var got []row
	for i, s := range d.Strings() {
		require.Equal(t, byte('"'), body[s.Start])
		require.Equal(t, byte('"'), body[s.End-1])
		require.Equal(t, -1, s.Host)
		got = append(got, row{s.Text, d.Pointer(i), s.Key})
	}
	require.Equal(t, []row{
		{"a/b", "/a~1b", true}, {"x", "/a~1b/0", false}, {"\"y\"\né😀", "/a~1b/1", false}, {"~k", "/a~1b/2/~0k", true}, {"v", "/a~1b/2/~0k", false},
		{"n", "/n", true}, {"t", "/t", true}, {"z", "/t", false},
	}, got)
	require.Empty(t, d.Pointer(-1))
	require.Empty(t, d.Pointer(99))
}

// TestPointersAreShort: thousands of strings may stand below one long name, and each be found something in.
func TestPointersAreShort(t *testing.T) {
	long := strings.Repeat("k", maxPointer)
	for body, want := range map[string]string{
		`{"a/b":{"c":["x"]}}`:                                              "/a~1b/c/0",
		`{"a":{"` + long + `":[["x"]]}}`:                                   "/a/…",
		`{"a":{"` + long[len("/a/"):] + `":"x"}}`:                          "/a/" + long[len("/a/"):],
		`{"a":{"` + long[len("/a/"):] + `":["x"]}}`:                        "/a/" + long[len("/a/"):] + "/…",
		`{"a":"{\"` + long + `\":[\"x\"]}"}`:                               "/a#/…",
		`{"` + long + `":"{\"b\":[\"x\"]}"}`:                               "/…#/b/0",
		strings.Repeat(`{"abcd":`, 128) + `"x"` + strings.Repeat("}", 128): strings.Repeat("/abcd", maxPointer/5) + "/…",
	} {
		d := parse(t, "tools/call", SideResponse, body)
		require.Equal(t, want, d.Pointer(len(d.Strings())-1), body)
	}
	_, r := scanBody(t, "tools/call", SideResponse, `{"structuredContent":{"`+strings.Repeat(long, 64)+`":[`+strings.TrimSuffix(strings.Repeat(`"a@b.co",`, 4000), ",")+`]}}`)
	require.Len(t, r.Findings, 4000)
	for _, f := range r.Findings {
		require.Equal(t, "/structuredContent/…", f.Path)
	}
}

func TestPointerOfTopLevelString(t *testing.T) {
	d, err := Parse([]byte(`"a"`), Limits{})
	require.NoError(t, err)
	require.Empty(t, d.Pointer(0))
}

func TestEmbeddedDocuments(t *testing.T) {
	inner := `{"k":["v","{\"deep\":\"w\"}"],"k":1}`
	d, err := Parse([]byte(`{"t":`+quote(t, inner)+`,"u":"{not json}","v":"[1,2,3,4]"}`), Limits{})
	require.NoError(t, err)
	var got []string
	for i, s := range d.Strings() {
		if s.Host >= 0 {
			got = append(got, d.Pointer(i)+"="+s.Text)
			host := d.Strings()[s.Host].Text
			require.Equal(t, byte('"'), host[s.Start])
			require.Equal(t, byte('"'), host[s.End-1])
		}
	}
	require.Equal(t, []string{`/t#/k=k`, `/t#/k/0=v`, `/t#/k/1={"deep":"w"}`, `/t#/k=k`, `/t#/k/1#/deep=deep`, `/t#/k/1#/deep=w`}, got)
}

func TestEmbeddingStopsAtItsDepth(t *testing.T) {
	text := `{"token":"` + toyToken + `"}`
	for range maxEmbedding + 3 {
		text = `{"x":` + quote(t, text) + `}`
	}
	d, r := scanBody(t, "tools/call", SideResponse, text)
	require.Contains(t, detectors(r), "github-token")
	w := mask(t, d, r)
	require.NotContains(t, string(w.Bytes), toyToken)
}

func TestMember(t *testing.T) {
	d, err := Parse([]byte(`{"x":{"name":"inner"},"list":[{"name":"element"}],"NAME":"upper","name":"outer","a":{"b":{"c":"deep"}},"n":1,"s":"{\"name\":\"embedded\"}"}`), Limits{})
	require.NoError(t, err)
	for _, tt := range []struct {
		path []string
		want string
		ok   bool
	}{
		{[]string{"name"}, "outer", true}, {[]string{"x", "name"}, "inner", true}, {[]string{"a", "b", "c"}, "deep", true}, {[]string{"b", "c"}, "", false},
		{[]string{"list", "name"}, "", false}, {[]string{"n"}, "", false}, {[]string{"missing"}, "", false}, {nil, "", false}, {[]string{"Name"}, "", false},
	} {
		got, ok := d.Member(tt.path...)
		require.Equal(t, tt.ok, ok, tt.path)
		require.Equal(t, tt.want, got, tt.path)
	}
}

func TestValue(t *testing.T) {
	d, err := Parse([]byte(`{"arguments":{"i":9007199254740993,"f":1.5,"big":1844674407370955161518,"huge":1e400,"s":"x","b":true,"z":null,"l":[1,{"a":[]}],"i\u0032":-0}}`), Limits{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"i": int64(9007199254740993), "f": 1.5, "big": 1.844674407370955161518e21, "huge": "1e400", "s": "x", "b": true, "z": nil,
		"l": []any{int64(1), map[string]any{"a": []any{}}}, "i2": int64(0)}, d.Value("arguments"))
	require.Equal(t, int64(1), d.Value("arguments", "l").([]any)[0])
	require.Equal(t, "x", d.Value("arguments", "s"))
	require.Nil(t, d.Value("arguments", "none"))
	require.Nil(t, d.Value("arguments", "s", "deeper"))
	require.IsType(t, map[string]any{}, d.Value())
}

func TestParseErrorNeverQuotesThePayload(t *testing.T) {
	_, err := Parse([]byte(`{"hunter2":1,"hunter2":2}`), Limits{})
	require.NotContains(t, fmt.Sprint(err), "hunter2")
}

// documents are what the fuzzing of documents begins with.
func documents(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"a":1,"a":2}`, `["\ud83d\ude00"]`, `{"t":"{\"a\":\"b\"}"}`, "\xef\xbb\xbf{}", `[[[["x"]]]]`, `{"card":[4111111111111111]}`, `"\ud800"`} {
		f.Add([]byte(s))
	}
}

// FuzzParse asks the decoder of the standard library about everything that a body is taken or refused for.
func FuzzParse(f *testing.F) {
	documents(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := Parse(body, Limits{MaxBytes: 1 << 16, MaxStrings: 1000})
		accepted := decoderAccepts(body)
		if err != nil {
			switch kind := kindOf(t, err); kind {
			case KindTooDeep, KindTooManyStrings, KindTooLarge:
			default:
				if accepted {
					t.Fatalf("refused as %v what the decoder of the standard library accepts", kind)
				}
			}
			return
		}
		if !accepted {
			t.Fatal("accepted what the decoder of the standard library refuses")
		}
		for i, s := range d.Strings() {
			src := string(d.Raw())
			if s.Host >= 0 {
				src = d.Strings()[s.Host].Text
			}
			token := src[s.Start:s.End]
			if token[0] != '"' || token[len(token)-1] != '"' {
				t.Fatalf("span of string %d is no token", i)
			}
			if plain, err := jsontext.AppendUnquote(nil, token); err != nil || string(plain) != s.Text {
				t.Fatalf("string %d is read as %q, not as %q: %v", i, s.Text, plain, err)
			}
			if len(d.Pointer(i)) == 0 && s.container >= 0 {
				t.Fatalf("string %d has no pointer", i)
			}
		}
	})
}

// FuzzDocument asks what was taken for everything that there is to know of it.
func FuzzDocument(f *testing.F) {
	documents(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := Parse(body, Limits{MaxBytes: 1 << 16, MaxStrings: 1000})
		if err != nil {
			return
		}
		for _, method := range []string{"tools/call", "tools/list", "initialize", "x"} {
			_ = d.Assign(method, SideResponse)
			_ = d.Segments(SideResponse)
			for _, tool := range d.Tools() {
				if _, err := tool.Hash(); err != nil && !hasOddNumber(d.Raw()) {
					t.Fatal(err)
				}
			}
		}
		d.Value()
	})
}

// decoderAccepts reports whether the decoder of the standard library takes a body as one JSON value.
func decoderAccepts(body []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	if _, err := dec.ReadValue(); err != nil {
		return false
	}
	return len(bytes.TrimLeft(body[dec.InputOffset():], jsonBlanks)) == 0
}

// TestParseAcceptsWhatTheDecoderDoes breaks valid bodies in every way that a byte or a cut can, and asks the decoder of the
// standard library about each.
func TestParseAcceptsWhatTheDecoderDoes(t *testing.T) {
	for _, body := range []string{
		`{"a":{"b":[1,-0.5e+10,"x"],"c":true,"d":false,"e":null},"f":"\u00e9\ud83d\ude00\n"}`, ` [ { } , [ ] , "" , 0 ] `, "[\"\xf0\x9f\x98\x80 \xe4\xb8\xad \xc3\xa9 and so on\"]",
		`{"one":1,"two":2,"three":3,"four":4,"five":5,"six":6,"seven":7,"eight":8,"nine":9,"ten":10,"on\u0065":11}`,
	} {
		for i := range body {
			for _, changed := range []string{body[:i], body[i:], body[:i] + body[i+1:]} {
				_, err := Parse([]byte(changed), Limits{})
				require.Equal(t, decoderAccepts([]byte(changed)), err == nil, "%q", changed)
			}
			for c := range 256 {
				changed := []byte(body)
				changed[i] = byte(c)
				_, err := Parse(changed, Limits{})
				require.Equal(t, decoderAccepts(changed), err == nil, "%q", changed)
			}
		}
	}
}

// TestValidTextIsValidUTF8 compares it with the standard library for every beginning of a character, alone and among others.
func TestValidTextIsValidUTF8(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			for _, rest := range []string{"", "\x80", "\xbf", "\x80\x80", "\x90\x80", "a", "\xc3\xa9"} {
				for _, before := range []string{"", "plain text", "é中😀"} {
					s := before + string([]byte{byte(a), byte(b)}) + rest
					require.Equal(t, utf8.ValidString(s), validText(s), "%q", s)
				}
			}
		}
	}
}

// hasOddNumber reports whether a document may have a number that the canonical form cannot carry.
func hasOddNumber(b []byte) bool { return strings.ContainsAny(string(b), "eE") }

// TestDocumentKeepsItsText parses another document in the memory that the first was parsed in.
func TestDocumentKeepsItsText(t *testing.T) {
	d, err := Parse([]byte(`{"a":"one\n","b":"{\"c\":\"two\\n\"}"}`), Limits{})
	require.NoError(t, err)
	_, err = Parse([]byte(`{"x":"\u0041\u0042\u0043\u0044","y":"{\"z\":\"\\u0041\\u0042\\u0043\"}"}`), Limits{})
	require.NoError(t, err)
	var texts []string
	for _, s := range d.Strings() {
		texts = append(texts, s.Text)
	}
	require.Equal(t, []string{"a", "one\n", "b", `{"c":"two\n"}`, "c", "two\n"}, texts)
}

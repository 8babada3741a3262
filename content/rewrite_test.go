package content

import (
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRewriteNothing(t *testing.T) {
	d := parse(t, "tools/call", SideResponse, `{ "content" : [] }`)
	w, err := Rewrite(d, Mutation{})
	require.NoError(t, err)
	require.False(t, w.Changed)
	require.Equal(t, string(d.Raw()), string(w.Bytes))
	w, err = Rewrite(d, Mutation{Mask: []Finding{{Detector: "x", String: 0, Start: 0, End: 1}}})
	require.NoError(t, err)
	require.False(t, w.Changed)
}

func TestRewriteRefusesWhatItCannotMask(t *testing.T) {
	d := parse(t, "tools/call", SideResponse, `{"key":"value"}`)
	for _, f := range []Finding{
		{String: 0, Start: 0, End: 3, Mask: "X"}, // a member name
		{String: 1, Start: -1, End: -1, Mask: "X"},
		{String: 1, Start: 0, End: 99, Mask: "X"},
		{String: 1, Start: 2, End: 2, Mask: "X"},
		{String: 7, Start: 0, End: 1, Mask: "X"},
	} {
		_, err := Rewrite(d, Mutation{Mask: []Finding{f}})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "value")
	}
}

func TestRewriteSplices(t *testing.T) {
	tests := []struct {
		name, body, want string
		string_          int
		spans            [][2]int
	}{
		{"plain", `["abcdef"]`, `["a[REDACTED:X]f"]`, 0, [][2]int{{1, 5}}},
		{"whole", `["abc"]`, `["[REDACTED:X]"]`, 0, [][2]int{{0, 3}}},
		{"adjacent", `["abcd"]`, `["[REDACTED:X][REDACTED:X]"]`, 0, [][2]int{{0, 2}, {2, 4}}},
		{"overlapping", `["abcdef"]`, `["a[REDACTED:X]f"]`, 0, [][2]int{{1, 4}, {2, 5}}},
		{"nested spans", `["abcdef"]`, `["a[REDACTED:X]f"]`, 0, [][2]int{{1, 5}, {2, 3}}},
		{"escapes around", `["\u0061\"b\\c"]`, `["\u0061\"[REDACTED:X]\\c"]`, 0, [][2]int{{2, 3}}},
		{"an escape itself", `["a\nb"]`, `["a[REDACTED:X]b"]`, 0, [][2]int{{1, 2}}},
		{"middle of an escaped character", `["a\u00e9b"]`, `["a[REDACTED:X]b"]`, 0, [][2]int{{1, 2}}},
		{"middle of a character", "[\"aéb\"]", `["a[REDACTED:X]b"]`, 0, [][2]int{{2, 3}}},
		{"surrogate pair", `["a\ud83d\ude00b"]`, `["a[REDACTED:X]b"]`, 0, [][2]int{{3, 4}}},
		{"multi-byte before", "[\"é😀 key\"]", "[\"é😀 [REDACTED:X]\"]", 0, [][2]int{{7, 10}}},
		{"embedded", `["{\"a\":\"s\\u00e9cret\"}"]`, `["{\"a\":\"[REDACTED:X]cret\"}"]`, 2, [][2]int{{0, 3}}},
		{"white space and numbers", "{ \"a\" :\t1e400 , \"b\":\"xy\" }", "{ \"a\" :\t1e400 , \"b\":\"[REDACTED:X]y\" }", 2, [][2]int{{0, 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := parse(t, "x", SideResponse, tt.body)
			var m Mutation
			for _, s := range tt.spans {
				m.Mask = append(m.Mask, Finding{Detector: "x", String: tt.string_, Start: s[0], End: s[1], Mask: "x"})
			}
			w, err := Rewrite(d, m)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(w.Bytes))
			require.True(t, w.Changed)
		})
	}
}

func TestRewriteTypeCannotBreakOut(t *testing.T) {
	d := parse(t, "x", SideResponse, `["abc"]`)
	w, err := Rewrite(d, Mutation{Mask: []Finding{{String: 0, Start: 0, End: 1, Mask: "a\"]\n"}}})
	require.NoError(t, err)
	require.Equal(t, `["[REDACTED:A___]bc"]`, string(w.Bytes))
}

func TestRewriteRemovesTools(t *testing.T) {
	body := "{\"tools\": [ {\"name\":\"a\"} ,\n {\"name\":\"b\"},{\"name\":\"c\"} ], \"nextCursor\":\"kim@example.org\"}"
	tests := []struct {
		remove []int
		want   string
	}{
		{[]int{0}, "{\"tools\": [ {\"name\":\"b\"},{\"name\":\"c\"} ], \"nextCursor\":\"[REDACTED:EMAIL]\"}"},
		{[]int{1}, "{\"tools\": [ {\"name\":\"a\"} ,\n {\"name\":\"c\"} ], \"nextCursor\":\"[REDACTED:EMAIL]\"}"},
		{[]int{2}, "{\"tools\": [ {\"name\":\"a\"} ,\n {\"name\":\"b\"} ], \"nextCursor\":\"[REDACTED:EMAIL]\"}"},
		{[]int{0, 2}, "{\"tools\": [ {\"name\":\"b\"} ], \"nextCursor\":\"[REDACTED:EMAIL]\"}"},
		{[]int{1, 2, 1}, "{\"tools\": [ {\"name\":\"a\"} ], \"nextCursor\":\"[REDACTED:EMAIL]\"}"},
		{[]int{0, 1, 2}, "{\"tools\": [  ], \"nextCursor\":\"[REDACTED:EMAIL]\"}"},
	}
	for _, tt := range tests {
		d, r := scanBody(t, "tools/list", SideResponse, body)
		w, err := Rewrite(d, Mutation{Mask: r.Findings, RemoveTools: tt.remove})
		require.NoError(t, err)
		require.Equal(t, tt.want, string(w.Bytes))
		require.Equal(t, 1, w.Masked)
	}
	d := parse(t, "tools/list", SideResponse, body)
	for _, bad := range [][]int{{3}, {-1}} {
		_, err := Rewrite(d, Mutation{RemoveTools: bad})
		require.Error(t, err)
	}
	_, err := Rewrite(parse(t, "tools/list", SideResponse, `{"tools":[]}`), Mutation{RemoveTools: []int{0}})
	require.Error(t, err)
}

func TestRewriteDropsMasksOfRemovedTools(t *testing.T) {
	d, r := scanBody(t, "tools/list", SideResponse, `{"tools":[{"name":"a","description":"ask kim@example.org"},{"name":"b","description":"ask lee@example.org"}]}`)
	w, err := Rewrite(d, Mutation{Mask: r.Findings, RemoveTools: []int{0}})
	require.NoError(t, err)
	require.Equal(t, `{"tools":[{"name":"b","description":"ask [REDACTED:EMAIL]"}]}`, string(w.Bytes))
}

func TestRewriteBlobStaysBase64(t *testing.T) {
	blob := base64.StdEncoding.EncodeToString([]byte("key: " + toyToken + "\n"))
	d, r := scanBody(t, "resources/read", SideResponse, `{"contents":[{"uri":"file:///k","mimeType":"text/plain","blob":"`+blob+`"}]}`)
	w := mask(t, d, r)
	require.True(t, w.Changed)
	out := parse(t, "resources/read", SideResponse, string(w.Bytes))
	plain, err := base64.StdEncoding.DecodeString(out.Strings()[len(out.Strings())-1].Text)
	require.NoError(t, err)
	require.Equal(t, "[REDACTED:GITHUB_TOKEN]", string(plain))
}

// leaf is a string value or a number of a document with its pointer and its bytes.
func leaves(t require.TestingT, body []byte) map[string]string {
	out := map[string]string{}
	dec := jsontext.NewDecoder(strings.NewReader(string(body)))
	for {
		switch dec.PeekKind() {
		case '{', '[', '}', ']':
			_, err := dec.ReadToken()
			require.NoError(t, err)
		case 0:
			return out
		default:
			v, err := dec.ReadValue()
			require.NoError(t, err)
			out[string(dec.StackPointer())+fmt.Sprint(len(out))] = string(v)
		}
	}
}

// genJSON draws a JSON document as text, with odd spacing, escapes, numbers and embedded documents.
func genJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		ws := func() string { return rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "ws") }
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		if depth == 0 && kind > 2 {
			kind = 0
		}
		switch kind {
		case 0, 1:
			return genToken().Draw(t, "string")
		case 2:
			return rapid.SampledFrom([]string{"1e400", "-0", "9007199254740993", "true", "null", "[]", "{}", "0.10"}).Draw(t, "scalar")
		case 3:
			inner := genJSON(depth-1).Draw(t, "inner")
			b, _ := json.Marshal(`{"in":` + inner + `}`)
			return string(b)
		case 4:
			n := rapid.IntRange(0, 4).Draw(t, "n")
			var parts []string
			for range n {
				parts = append(parts, ws()+genJSON(depth-1).Draw(t, "element")+ws())
			}
			return "[" + strings.Join(parts, ",") + "]"
		}
		n := rapid.IntRange(0, 4).Draw(t, "n")
		var parts []string
		for i := range n {
			parts = append(parts, ws()+fmt.Sprintf(`"k%d"`, i)+ws()+":"+ws()+genJSON(depth-1).Draw(t, "member"))
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
}

// genToken draws a JSON string with a mixture of ways to write its characters.
func genToken() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", "b", " ", "é", "😀", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, "中", `\u0000`, "{", "[", ":", " kim@example.org ", " " + toyToken + " "})
	return rapid.Custom(func(t *rapid.T) string {
		return `"` + strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") + `"`
	})
}

// checkRewrite is the property of redaction: the output parses, what was not masked keeps its bytes, and
// what was masked is gone.
func checkRewrite(t require.TestingT, d *Document, masks []Finding) {
	w, err := Rewrite(d, Mutation{Mask: masks})
	require.NoError(t, err)
	out, err := Parse(w.Bytes, Limits{})
	require.NoError(t, err)

	touched := map[int]bool{}
	for _, f := range masks {
		for i := f.String; i >= 0; i = d.strings[i].Host {
			touched[i] = true
		}
	}
	// The strings of the body come in the same order before and after.
	var before, after []String
	for _, s := range d.strings {
		if s.Host < 0 {
			before = append(before, s)
		}
	}
	for _, s := range out.strings {
		if s.Host < 0 {
			after = append(after, s)
		}
	}
	require.Len(t, after, len(before))
	for i := range before {
		was := d.raw[before[i].Start:before[i].End]
		is := out.raw[after[i].Start:after[i].End]
		if !touched[i] {
			require.Equal(t, was, is)
		}
	}
	// Everything between the strings is as it was.
	require.Equal(t, between(d.raw, before), between(out.raw, after))
	require.Len(t, leaves(t, w.Bytes), len(leaves(t, d.body)))
	for i := range before {
		if touched[i] {
			expectMasked(t, d, i, after[i].Text, masks)
		}
	}
}

// expectMasked compares string i of the body with what it must have become.
func expectMasked(t require.TestingT, d *Document, i int, got string, masks []Finding) {
	own := false
	for _, f := range masks {
		own = own || f.String == i
	}
	if !own {
		return // changed inside an embedded document: see the strings of that
	}
	covered := make([]bool, len(d.strings[i].Text))
	for _, f := range masks {
		if f.String == i {
			for j := f.Start; j < f.End; j++ {
				covered[j] = true
			}
		}
	}
	var kept strings.Builder
	for j, r := range d.strings[i].Text {
		gone := false
		for k := range len(string(r)) {
			gone = gone || covered[j+k]
		}
		if !gone {
			kept.WriteRune(r)
		}
	}
	nested := false
	for j := range d.strings {
		nested = nested || d.strings[j].Host == i
	}
	if !nested {
		require.Equal(t, kept.String(), strings.ReplaceAll(got, "[REDACTED:T]", ""))
	}
}

func between(raw string, strs []String) string {
	var b strings.Builder
	at := 0
	for _, s := range strs {
		b.WriteString(raw[at:s.Start])
		b.WriteByte('.')
		at = s.End
	}
	b.WriteString(raw[at:])
	return b.String()
}

func TestRewriteProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := genJSON(3).Draw(rt, "body")
		d, err := Parse([]byte(body), Limits{})
		require.NoError(rt, err)
		require.NoError(rt, d.Assign("tools/call", SideResponse))
		var masks []Finding
		for i, s := range d.Strings() {
			if s.Key || s.Text == "" || s.open {
				continue
			}
			for range rapid.IntRange(0, 2).Draw(rt, "masks") {
				lo := rapid.IntRange(0, len(s.Text)-1).Draw(rt, "lo")
				masks = append(masks, Finding{Detector: "t", String: i, Start: lo, End: rapid.IntRange(lo+1, len(s.Text)).Draw(rt, "hi"), Mask: "T"})
			}
		}
		checkRewrite(rt, d, masks)
	})
}

// TestRedactionLeavesNothing scans what redaction put out: nothing that could be masked is found again.
func TestRedactionLeavesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := genJSON(3).Draw(rt, "body")
		d, err := Parse([]byte(body), Limits{})
		require.NoError(rt, err)
		require.NoError(rt, d.Assign("tools/call", SideResponse))
		r, err := Builtin().Scan(rt.Context(), d, SideResponse)
		require.NoError(rt, err)
		w, err := Rewrite(d, Mutation{Mask: r.Findings})
		require.NoError(rt, err)
		require.Equal(rt, len(masksOf(r)) > 0, w.Changed)
		require.NotContains(rt, string(w.Bytes), toyToken)
		require.NotContains(rt, string(w.Bytes), "kim@example.org")
	})
}

func masksOf(r Report) []Finding {
	var m []Finding
	for _, f := range r.Findings {
		if f.Mask != "" {
			m = append(m, f)
		}
	}
	return m
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte(`{"a":"kim@example.org","b":["\u0041\ud83d\ude00 x"]}`), uint16(1), uint8(0), uint8(3))
	f.Add([]byte(`["{\"a\":\"\\u00e9b\"}"]`), uint16(2), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, body []byte, pick uint16, lo, n uint8) {
		d, err := Parse(body, Limits{MaxBytes: 1 << 14})
		if err != nil {
			return
		}
		require.NoError(t, d.Assign("x", SideResponse))
		var masks []Finding
		if len(d.strings) > 0 {
			i := int(pick) % len(d.strings)
			if s := d.strings[i]; !s.Key && len(s.Text) > 0 && !s.open {
				start := int(lo) % len(s.Text)
				masks = append(masks, Finding{Detector: "t", String: i, Start: start, End: min(len(s.Text), start+1+int(n)), Mask: "T"})
			}
		}
		checkRewrite(t, d, masks)
	})
}

// BenchmarkRewriteMany masks a great many places: in one string, and in one string each of as many embedded
// documents. The time for a place must not grow with their number.
func BenchmarkRewriteMany(b *testing.B) {
	for _, places := range []int{1000, 10_000, 50_000} {
		for name, body := range map[string]string{
			"one-string": result(strings.Repeat("kim@example.org ", places)),
			"embedded":   result(strings.Split(strings.TrimSuffix(strings.Repeat("{\"mail\":\"kim@example.org\"}\n", places), "\n"), "\n")...),
		} {
			b.Run(fmt.Sprintf("%s/%d", name, places), func(b *testing.B) {
				d := parse(b, "tools/call", SideResponse, body)
				r := scanDoc(b, d, SideResponse)
				for b.Loop() {
					w, err := Rewrite(d, Mutation{Mask: r.Findings})
					if err != nil || w.Masked != places {
						b.Fatal(w.Masked, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*places), "ns/place")
			})
		}
	}
}

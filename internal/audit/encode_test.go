package audit

import (
	"bytes"
	"encoding/json/v2"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 123_456_789, time.UTC)

func fullRecord() *Record {
	return &Record{
		Time: noon.In(time.FixedZone("", 3600)), Phase: PhaseRequest, Method: "tools/call", Service: "files", Tool: "read_file",
		Route: "default/mcp", Principal: "ana", Headers: map[string]string{"x-forwarded-user": "ana@example.org"},
		Exchange: "ex-1", Ref: "k7q2m4x9", Outcome: OutcomeDeny, Would: "", Reason: "blocked by policy",
		Findings: []Finding{{
			Detector: "github_token", Category: "secret", Severity: "block", Path: "/arguments/body", View: "base64",
			FP: Fingerprint{Length: 40, HMAC: strings.Repeat("ab", 32)},
		}},
		RulesHit: []string{"no_exfil"}, Scores: map[string]float64{"judge": 0.98765, "gate": 0.5}, RulesVersion: "r1", Model: "m1",
		Coverage: &Coverage{Scanned: 10, Total: 20, Reason: "window_budget"}, Redactions: 2, Bytes: 512,
		Duration: 1234567 * time.Nanosecond,
	}
}

func TestLineIsStable(t *testing.T) {
	const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	got := string(appendLine(nil, 1, Hash{}, fullRecord(), "v1.0.0"))
	require.Equal(t, `{"seq":1,"prev":"`+zeros+`","ts":"2026-03-04T12:00:00.123Z","phase":"request","method":"tools/call",`+
		`"service":"files","tool":"read_file","route":"default/mcp","principal":"ana","headers":{"x-forwarded-user":"ana@example.org"},`+
		`"exchange":"ex-1","ref":"k7q2m4x9","outcome":"deny","reason":"blocked by policy",`+
		`"findings":[{"detector":"github_token","category":"secret","severity":"block","path":"/arguments/body","view":"base64",`+
		`"fp":{"len":40,"hmac":"`+strings.Repeat("ab", 32)+`"}}],"rules_hit":["no_exfil"],"scores":{"gate":0.5000,"judge":0.9877},`+
		`"rules_version":"r1","model":"m1","coverage":{"scanned":10,"total":20,"reason":"window_budget"},"redactions":2,"bytes":512,`+
		`"duration_us":1234,"version":"v1.0.0"}`, got)
}

func TestEventLineHasNoExchangeNumbers(t *testing.T) {
	got := string(appendLine(nil, 9, Hash{1}, &Record{Time: noon, Event: EventShed, Count: 250}, "v1"))
	require.Equal(t, `{"seq":9,"prev":"01`+strings.Repeat("0", 62)+`","ts":"2026-03-04T12:00:00.123Z","event":"shed","count":250,"version":"v1"}`, got)
}

// A tool name that carries line breaks, JSON and terminal escapes stays inside its string.
func TestCaseRS08ForgedLine(t *testing.T) {
	r := &Record{Time: noon, Phase: PhaseRequest, Tool: "x\n{\"event\":\"decision\",\"outcome\":\"allow\"}\x1b[2J\u009b2J\u202e\u2028\xff\x7f", Outcome: OutcomeDeny}
	line := appendLine(nil, 1, Hash{}, r, "v1")
	require.NotContains(t, string(line), "\n")
	for _, c := range string(line) {
		require.True(t, unicode.IsPrint(c), "%U must be escaped", c)
	}
	l, err := ParseLine(line)
	require.NoError(t, err)
	require.Empty(t, l.Event)
	require.Equal(t, OutcomeDeny, l.Outcome)
	require.Equal(t, strings.ToValidUTF8(r.Tool, "\uFFFD"), l.Tool)
}

func TestNamesAreCapped(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"at the cap":                   {strings.Repeat("a", maxName), strings.Repeat("a", maxName)},
		"one over":                     {strings.Repeat("a", maxName+1), strings.Repeat("a", maxName) + "…+1"},
		"cut between characters":       {strings.Repeat("a", maxName-1) + "é" + "zz", strings.Repeat("a", maxName-1) + "…+4"},
		"cut inside damaged UTF-8":     {strings.Repeat("\xbf", maxName+10), strings.Repeat("\uFFFD", maxName-utf8.UTFMax) + "…+14"},
		"a megabyte stays a short one": {strings.Repeat("b", 1<<20), strings.Repeat("b", maxName) + "…+1048320"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got string
			require.NoError(t, json.Unmarshal(appendString(nil, tc.in, maxName), &got))
			require.Equal(t, tc.want, got)
		})
	}
}

func TestListsAreCapped(t *testing.T) {
	r := &Record{Time: noon, Phase: PhaseRequest, Scores: map[string]float64{}, Headers: map[string]string{}}
	for range 10_000 {
		r.Findings = append(r.Findings, Finding{Detector: strings.Repeat("\x01", 400), Path: strings.Repeat("\x01", 4000)})
		r.RulesHit = append(r.RulesHit, strings.Repeat("\x01", 400))
	}
	for i := range 100 {
		r.Scores[strings.Repeat("s", i+1)] = 1
		r.Headers[strings.Repeat("h", i+1)] = strings.Repeat("\x02", 1000)
	}
	r.MoreFindings = 5
	line := appendLine(nil, 1, Hash{}, r, "v1")
	require.Less(t, len(line), 1<<20, "a line must stay readable by lineReader")
	l, err := ParseLine(line)
	require.NoError(t, err)
	require.Len(t, l.Findings, MaxFindings)
	require.Equal(t, 10_000-MaxFindings+5, l.FindingsDropped)
	require.Len(t, l.RulesHit, maxRules)
	require.Equal(t, 10_000-maxRules, l.RulesDropped)
	require.Len(t, l.Scores, maxScores)
	require.Len(t, l.Headers, maxHeaders)
}

// What a caller sends is cut, and escapes make it six times as long at most: the line stays one that readers take.
func TestNoCallerMakesALineTooLong(t *testing.T) {
	worst := strings.Repeat("\x01", 1000)
	r := &Record{Time: noon, Phase: PhaseRequest, Method: worst, Service: worst, Tool: worst, Route: worst, Principal: worst, Exchange: worst, Headers: map[string]string{}}
	for i := range 2 * MaxFindings {
		r.Headers["h"+string(rune('A'+i))] = worst
		r.Findings = append(r.Findings, Finding{Detector: worst, Category: "secret", Severity: "block", Path: worst, View: "base64", FP: Fingerprint{Length: 9, HMAC: strings.Repeat("a", 64)}})
		r.RulesHit = append(r.RulesHit, worst)
	}
	require.Less(t, len(appendLine(nil, 1, Hash{}, r, "v1")), maxLine/2)
}

func TestOddMapKeysAndScores(t *testing.T) {
	r := &Record{
		Time: noon, Phase: PhaseRequest,
		Scores:  map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "ok": 0.25, "\xff": 1, "\xfe": 1},
		Headers: map[string]string{"a b": "x", strings.Repeat("k", 300): "y", "fine": "z"},
	}
	line := appendLine(nil, 1, Hash{}, r, "")
	require.Contains(t, string(line), `"scores":{"inf":null,"nan":null,"ok":0.2500}`)
	require.Contains(t, string(line), `"headers":{"fine":"z"}`)
	_, err := ParseLine(line)
	require.NoError(t, err)
}

// Whatever a record holds, its line is one line, prints without side effects, parses, and gives back the same record.
func TestRoundTrip(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.ToValidUTF8(string(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes")), "\uFFFD")
	})
	rapid.Check(t, func(t *rapid.T) {
		r := Record{
			Time:  time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "ms")).UTC(),
			Phase: PhaseResponse, Method: text.Draw(t, "method"), Service: text.Draw(t, "service"), Tool: text.Draw(t, "tool"),
			Route: text.Draw(t, "route"), Principal: text.Draw(t, "principal"), Exchange: text.Draw(t, "exchange"),
			Ref: text.Draw(t, "ref"), Outcome: OutcomeReview, Would: OutcomeDeny, Reason: text.Draw(t, "reason"),
			RulesHit: []string{text.Draw(t, "rule")}, RulesVersion: text.Draw(t, "rules_version"), Model: text.Draw(t, "model"),
			Findings: []Finding{{Detector: text.Draw(t, "detector"), Path: text.Draw(t, "path"), FP: Fingerprint{Length: rapid.Int().Draw(t, "len")}}},
			Coverage: &Coverage{Scanned: 1, Total: 2, Reason: text.Draw(t, "why")},
			Bytes:    rapid.Int().Draw(t, "size"), Redactions: rapid.Int().Draw(t, "redactions"),
			Duration: time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "us")) * time.Microsecond, Version: "v1",
			OK: rapid.Ptr(rapid.Bool(), true).Draw(t, "ok"),
		}
		line := appendLine(nil, 7, Hash{3}, &r, "other")
		for _, c := range string(line) {
			if !unicode.IsPrint(c) {
				t.Fatalf("%U stands unescaped in %q", c, line)
			}
		}
		l, err := ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		require.Equal(t, r, l.Record)
	})
}

func TestParseLineRefuses(t *testing.T) {
	tests := map[string]string{
		"nothing":         ``,
		"not an object":   `[1]`,
		"no chain":        `{"ts":"2026-03-04T12:00:00.123Z"}`,
		"seq zero":        `{"seq":0,"prev":"00"}`,
		"short hash":      `{"seq":1,"prev":"00","ts":"2026-03-04T12:00:00.123Z","event":"start"}`,
		"no time":         `{"seq":1,"prev":"` + Hash{}.String() + `","event":"start"}`,
		"no kind":         `{"seq":1,"prev":"` + Hash{}.String() + `","ts":"2026-03-04T12:00:00.123Z"}`,
		"repeated member": `{"seq":1,"seq":2,"prev":"` + Hash{}.String() + `","ts":"2026-03-04T12:00:00.123Z","event":"start"}`,
		"two on a line":   `{"seq":1,"prev":"` + Hash{}.String() + `","ts":"2026-03-04T12:00:00.123Z","event":"start"}{}`,
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseLine([]byte(in))
			require.Error(t, err)
		})
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(appendLine(nil, 1, Hash{}, fullRecord(), "v1"))
	f.Add([]byte(`{"seq":1}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		l, err := ParseLine(in)
		if err != nil {
			return
		}
		again := appendLine(nil, l.Seq, l.Prev, &l.Record, "")
		require.False(t, bytes.ContainsAny(again, "\n\r\x1b"))
		_, err = ParseLine(again)
		require.NoError(t, err, "what was read must be writable again: %s", again)
	})
}

func BenchmarkAppendLine(b *testing.B) {
	r := fullRecord()
	buf := make([]byte, 0, 2048)
	b.ReportAllocs()
	for b.Loop() {
		buf = appendLine(buf[:0], 1, Hash{}, r, "v1")
	}
	b.SetBytes(int64(len(buf)))
}

func TestFingerprint(t *testing.T) {
	_, err := NewFingerprinter([]byte("short"))
	require.ErrorContains(t, err, "5 bytes")
	plain, err := NewFingerprinter(nil)
	require.NoError(t, err)
	require.Equal(t, Fingerprint{Length: 5}, plain.Of("abcde", true))
	keyed, err := NewFingerprinter([]byte("0123456789abcdef"))
	require.NoError(t, err)
	require.Equal(t, Fingerprint{Length: 5}, keyed.Of("abcde", false), "low entropy never gets an HMAC")
	fp := keyed.Of("abcde", true)
	require.Len(t, fp.HMAC, 64)
	require.Equal(t, fp, keyed.Of("abcde", true))
	other, err := NewFingerprinter([]byte("fedcba9876543210"))
	require.NoError(t, err)
	require.NotEqual(t, fp.HMAC, other.Of("abcde", true).HMAC)
	require.NotContains(t, keyed.GoString(), "0123456789abcdef")
}

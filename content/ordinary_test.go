package content

import (
	"encoding/base64"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ordinary makes the payloads that the tools of every day return: no sentence, row or line of them is like the one before.
// It makes the same ones in every run.
type ordinary struct {
	*rand.Rand
	languages []language
}

// language is what the sentences of a language are put together from.
type language struct {
	name         string
	parts        [][]string
	between, end string
}

func newOrdinary(tb testing.TB) *ordinary {
	src, err := os.ReadFile("testdata/prose.txt")
	require.NoError(tb, err)
	o := &ordinary{Rand: rand.New(rand.NewPCG(64, 1024))}
	for _, section := range strings.Split(string(src), "\n\n")[1:] {
		name, rest, _ := strings.Cut(strings.TrimLeft(section, "\n"), "\n")
		lines := strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
		l := language{name: strings.ToLower(name)}
		l.between, l.end, _ = strings.Cut(lines[len(lines)-1], "|")
		for _, line := range lines[:len(lines)-1] {
			l.parts = append(l.parts, strings.Split(line, "|"))
		}
		o.languages = append(o.languages, l)
	}
	return o
}

func (o *ordinary) pick(of string) string {
	words := strings.Fields(of)
	return words[o.IntN(len(words))]
}

// sentence returns a sentence of a language, English is the first of them.
func (o *ordinary) sentence(l language) string {
	var s strings.Builder
	for i, part := range l.parts {
		if i > 0 {
			s.WriteString(l.between)
		}
		s.WriteString(part[o.IntN(len(part))])
	}
	return s.String() + l.end
}

func (o *ordinary) english() string { return strings.TrimSpace(o.sentence(o.languages[0])) }

func (o *ordinary) name() string {
	return o.pick("Kim Lee Maria João Pat Olga Sven Aiko Noor Luca Edith Tom") + " " + o.pick("Lisboa Costa Bergström Nakamura O'Brien Müller Okafor Haddad Novak Smith Peterson")
}

func (o *ordinary) time() string {
	return time.Unix(1_790_000_000+o.Int64N(1e7), o.Int64N(1e9)).UTC().Format("2006-01-02T15:04:05.000Z")
}

func (o *ordinary) uuid() string {
	a, b := o.Uint64(), o.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

func (o *ordinary) word() string {
	return o.pick("index user session client request handle parse buffer value result config worker queue page order item entry token state render update filter column layout event")
}

func (o *ordinary) path() string {
	p := "/srv"
	for range 2 + o.IntN(3) {
		p += "/" + o.word()
	}
	return p + o.pick("_test.go .go .ts .py .md .yaml .json .css")
}

func (o *ordinary) host() string {
	return o.pick("www docs api static cdn news") + "." + o.pick("example.org example.com harbour.example library.example")
}

func (o *ordinary) url() string {
	return fmt.Sprintf("https://%s/%s/%s?page=%d&sort=%s", o.host(), o.word(), o.word(), o.IntN(90), o.pick("name date size"))
}

// record is a row of a service's answer.
func (o *ordinary) record() map[string]any {
	return map[string]any{"id": o.uuid(), "number": o.IntN(1e6), "name": o.name(), "createdAt": o.time(), "active": o.IntN(2) == 0, "price": float64(o.IntN(1e5)) / 100,
		"tags": []string{o.word(), o.word()}, "address": map[string]any{"city": o.pick("Lisbon Oslo Kyoto Nairobi Lima"), "zip": fmt.Sprint(10000 + o.IntN(89999))}, "note": o.english(), "link": o.url()}
}

func (o *ordinary) records() []any {
	var all []any
	for n := 0; n < size; {
		r := o.record()
		b, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		all, n = append(all, r), n+len(b)
	}
	return all
}

func (o *ordinary) minified() string {
	name := func() string { return string(rune('a'+o.IntN(26))) + o.pick("a b e n r t x _ $ 0 1") }
	return fmt.Sprintf("function %s(%s,%s){var %s=%s.%s(%s);return null===%s?%s[%d]:(%s.%s=!0,%s+\"%s-%s\")}", name(), name(), name(), name(), name(), o.word(), name(), name(), name(), o.IntN(99),
		name(), o.word(), name(), o.word(), o.word())
}

// payload is a text that grows by a piece at a time until it has the size of the benchmarks.
type payload struct {
	name  string
	head  string
	piece func() string
}

func (o *ordinary) payloads() []payload {
	all := []payload{
		{"json lines", "", func() string { return marshal(o.record()) + "\n" }},
		{"html", "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Harbour</title><link rel=\"stylesheet\" href=\"/static/main.css\"></head><body>\n", func() string {
			return fmt.Sprintf("<section class=\"%s-%s\" id=\"%s%d\">\n  <h2>%s</h2>\n  <p>%s %s <em>%s</em> &amp; <a href=\"%s\">%s</a>.</p>\n  <ul><li>%s</li><li><img src=\"/img/%s-%d.png\" alt=\"%s\"></li></ul>\n</section>\n",
				o.word(), o.word(), o.word(), o.IntN(99), o.word(), o.english(), o.english(), o.word(), strings.ReplaceAll(o.url(), "&", "&amp;"), o.name(), o.english(), o.word(), o.IntN(999), o.word())
		}},
		{"markdown", "# Harbour handbook\n\n", func() string {
			return fmt.Sprintf("## %s and %s\n\n%s **%s** %s See [the %s](%s) and `%s`.\n\n- %s\n- %s\n\n| %s | %s | %s |\n|---|---|---|\n| %s | %d | %s |\n| %s | %d | %s |\n\n```sh\n%s --%s=%d %s\n```\n\n",
				o.word(), o.word(), o.english(), o.word(), o.english(), o.word(), o.url(), o.word(), o.english(), o.english(), o.word(), o.word(), o.word(),
				o.name(), o.IntN(9999), o.word(), o.name(), o.IntN(9999), o.word(), o.word(), o.word(), o.IntN(99), o.path())
		}},
		{"csv", "id,name,created,amount,city,comment\n", func() string {
			return fmt.Sprintf("%d,%s,%s,%d.%02d,%s,\"%s\"\n", o.IntN(1e6), o.name(), o.time()[:10], o.IntN(9999), o.IntN(99), o.pick("Lisbon Oslo Kyoto Lima"), o.english())
		}},
		{"csv of numbers", "time,a,b,c,d\n", func() string {
			return fmt.Sprintf("%d,%d.%d,%d,%d,0.%04d\n", 1_790_000_000+o.IntN(1e6), o.IntN(99), o.IntN(9), o.IntN(99999), o.IntN(99), o.IntN(9999))
		}},
		{"diff", "", func() string {
			p := o.path()
			return fmt.Sprintf("diff --git a%s b%s\nindex %07x..%07x 100644\n--- a%s\n+++ b%s\n@@ -%d,6 +%d,7 @@ func %s() {\n \tfor _, %s := range %ss {\n-\t\tif %s.%s == nil {\n+\t\tif %s.%s(%s) == nil || len(%s) > %d {\n+\t\t\t// %s\n \t\t\treturn err\n \t\t}\n", p, p, o.IntN(1<<28), o.IntN(1<<28), p, p,
				o.IntN(400), o.IntN(400), o.word(), o.word(), o.word(), o.word(), o.word(), o.word(), o.word(), o.word(), o.word(), o.IntN(99), o.english())
		}},
		{"stack trace", "", func() string {
			return fmt.Sprintf("goroutine %d [%s]:\nexample.org/harbour/%s.(*%s).%s(0xc%09x, {0x%x, 0x%x})\n\t%s:%d +0x%x\nexample.org/harbour/%s.%s({0x%x, 0xc%09x})\n\t%s:%d +0x%x\n\n", o.IntN(999), o.pick("running select IO_wait"), o.word(), o.word(), o.word(), o.IntN(1<<36), o.IntN(1<<24), o.IntN(99),
				o.path(), o.IntN(900), o.IntN(4096), o.word(), o.word(), o.IntN(1<<24), o.IntN(1<<36), o.path(), o.IntN(900), o.IntN(4096))
		}},
		{"yaml", "apiVersion: v1\nkind: List\nitems:\n", func() string {
			return fmt.Sprintf("  - name: %s-%s\n    image: registry.example.org/%s/%s:%d.%d.%d\n    # %s\n    replicas: %d\n    env:\n      - name: %s_%s\n        value: \"%s\"\n    ports: [%d, %d]\n    enabled: %t\n", o.word(), o.word(), o.word(), o.word(), o.IntN(9), o.IntN(20), o.IntN(99),
				o.english(), o.IntN(12), strings.ToUpper(o.word()), strings.ToUpper(o.word()), o.path(), 1024+o.IntN(9999), 1024+o.IntN(9999), o.IntN(2) == 0)
		}},
		{"sql", "-- dump\nCREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, created TIMESTAMP, amount NUMERIC(10,2), note TEXT);\n", func() string {
			return fmt.Sprintf("INSERT INTO orders VALUES (%d,'%s','%s',%d.%02d,'%s');\n", o.IntN(1e6), strings.ReplaceAll(o.name(), "'", "''"), o.time(), o.IntN(9999), o.IntN(99), strings.ReplaceAll(o.english(), "'", "''"))
		}},
		{"minified javascript", "!function(){\"use strict\";", o.minified},
		{"go", "package harbour\n\n", func() string {
			return fmt.Sprintf("// %s%d %s\nfunc (%c *%s) %s%d(ctx context.Context, %s []string) (map[string]int, error) {\n\tif len(%s) == 0 {\n\t\treturn nil, fmt.Errorf(\"%s %%q: %%w\", %s, err%s)\n\t}\n\tfor i := range %s {\n\t\t%s[i] += %d << %d\n\t}\n\treturn %s, nil\n}\n\n", o.word(), o.IntN(99), o.english(),
				'a'+o.IntN(26), o.word(), o.word(), o.IntN(99), o.word(), o.word(), o.word(), o.word(), o.word(), o.word(), o.word(), o.IntN(99), o.IntN(9), o.word())
		}},
		{"directory", "total 4096\n", func() string {
			return fmt.Sprintf("-rw-r--r--  1 %s staff %8d %s %2d %02d:%02d %s_%s%s\n", o.pick("kim root deploy"), o.IntN(1e7), o.pick("Jan Feb Mar Apr Oct Nov"), 1+o.IntN(28), o.IntN(24), o.IntN(60), o.word(), o.word(), o.pick(".go .md .json .tar.gz .log"))
		}},
		{"paths", "", func() string { return o.path() + "\n" }},
		{"log", "", func() string {
			return fmt.Sprintf("%s %-5s [%s-%d] %s id=%s client=%d.%d.%d.%d status=%d took=%d.%dms path=/api/v1/%s/%d\n", o.time(), o.pick("INFO WARN DEBUG"), o.word(), o.IntN(32), o.english(), o.uuid(), 10, o.IntN(256), o.IntN(256), o.IntN(256), 200+o.IntN(300), o.IntN(999), o.IntN(9), o.word(), o.IntN(1e5))
		}},
		{"access log", "", func() string {
			return fmt.Sprintf("10.%d.%d.%d - - [%02d/Nov/2026:%02d:%02d:%02d +0000] \"GET /%s/%s HTTP/1.1\" %d %d \"https://%s/\" \"Mozilla/5.0 (X11; Linux x86_64) Firefox/%d.0\"\n", o.IntN(256), o.IntN(256), o.IntN(256), 1+o.IntN(28), o.IntN(24), o.IntN(60), o.IntN(60), o.word(), o.word(), 200+o.IntN(300), o.IntN(1e6), o.host(), 100+o.IntN(40))
		}},
		{"mail", "", func() string {
			first := strings.ToLower(o.pick("Kim Lee Maria Pat Olga Sven Aiko"))
			return fmt.Sprintf("From: %s <%s.%d@%s>\nTo: team@%s\nDate: %s\nSubject: %s and %s\n\nHello %s,\n\n%s %s\n%s\n\nKind regards,\n%s\n\n", o.name(), first, o.IntN(99), "example.org", "example.org", o.time(), o.word(), o.word(), first, o.english(), o.english(), o.english(), o.name())
		}},
		{"search results", "", func() string { return fmt.Sprintf("%s\n%s\n%s\n\n", o.english(), o.url(), o.english()) }},
		{"typographic english", "", func() string {
			return "“" + o.english() + "” — " + o.name() + " said: it’s " + o.word() + " … "
		}},
	}
	for _, l := range o.languages {
		all = append(all, payload{l.name, "", func() string { return o.sentence(l) }})
	}
	return all
}

// text grows the payload to the size of the benchmarks.
func (p payload) text() string {
	var s strings.Builder
	s.WriteString(p.head)
	for s.Len() < size {
		s.WriteString(p.piece())
	}
	return strings.ToValidUTF8(s.String()[:size], "")
}

func marshal(v any, opts ...json.Options) string {
	b, err := json.Marshal(v, append(opts, json.Deterministic(true))...)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// bodies are the payloads as the results of a tool, and what comes as structure.
func (o *ordinary) bodies() (all []struct{ name, body string }) {
	add := func(name, body string) { all = append(all, struct{ name, body string }{name, body}) }
	for _, p := range o.payloads() {
		add(p.name, result(p.text()))
	}
	records := o.records()
	add("json", result(marshal(records)))
	add("pretty json", result(marshal(records, jsontext.WithIndent("  "))))
	add("structured", `{"structuredContent":{"items":`+marshal(records)+`}}`)
	short := map[string]any{}
	for range 5000 {
		short[o.word()+fmt.Sprint(o.IntN(1e5))] = o.word()[:2]
	}
	add("short members", `{"structuredContent":`+marshal(short)+`}`)
	var picture [size * 3 / 4]byte
	for i := range picture {
		picture[i] = byte(o.Uint32())
	}
	copy(picture[:], "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	encoded := base64.StdEncoding.EncodeToString(picture[:])
	add("picture", `{"content":[{"type":"image","mimeType":"image/png","data":"`+encoded+`"}]}`)
	add("picture in text", result("data:image/png;base64,"+encoded))
	return all
}

// BenchmarkOrdinary64K is BenchmarkScan64K for what tools return every day.
func BenchmarkOrdinary64K(b *testing.B) {
	for _, t := range newOrdinary(b).bodies() {
		b.Run(t.name, func(b *testing.B) { besideSHA256(b, "tools/call", []byte(t.body)) })
	}
}

package content

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// blob handles a string that is the base64 of a resource or a block. It returns false when the string needs no
// further look: an image, sound or archive that is noted and counted instead. What is text is read as a view
// of its own; what is not base64 after all, or of no kind that is known, is read as the text it is.
func (sc *scan) blob(raw *view) bool {
	kind, body := sc.d.blobKind(sc.str)
	switch kind {
	case blobPlain:
		return true
	case blobText:
		if len(body)*3/4 > sc.budget {
			sc.incomplete(raw, 0, len(raw.text))
			return false
		}
		sc.unfolded = true
		plain, folds := decode64(body), len(sc.folds)
		if compressed(plain) {
			sc.plainView(raw, 0, len(raw.text), plain)
		}
		if mime := sc.d.sibling(sc.str, "mimeType"); len(sc.folds) == folds || textual(mime) {
			for _, text := range legible(plain, mime) {
				sc.plainView(raw, 0, len(raw.text), text)
			}
		}
		sc.unfold(raw)
		return true
	}
	if strings.IndexByte(raw.text, ' ') >= 0 {
		// No encoder writes spaces: whoever reads this leniently reads the words between them.
		return true
	}
	if sc.rep.Coverage.Skipped == nil {
		sc.rep.Coverage.Skipped = map[string]int{}
	}
	sc.rep.Coverage.Skipped[kind]++
	return kind == blobBinary
}

// legible returns what bytes that are declared or sniffed as text say, in UTF-8, even where single bytes are none: as UTF-16
// where they or the type say so, and else, or where only the type says so, as they stand.
func legible(b []byte, mime string) (texts [][]byte) {
	marked, mime := b, strings.ToLower(mime)
	switch {
	case wideText(b):
	case strings.Contains(mime, "utf-16be"):
		marked = append([]byte{0xfe, 0xff}, b...)
	case strings.Contains(mime, "utf-16"):
		marked = append([]byte{0xff, 0xfe}, b...)
	}
	if wideText(marked) {
		if text, ok := narrowed(marked); ok {
			texts = append(texts, text)
		}
	}
	if len(texts) > 0 && wideText(b) {
		return texts
	}
	text := bytes.ToValidUTF8(b, []byte("\uFFFD"))
	if _, ok := readable(text); !ok {
		text = slices.DeleteFunc(text, func(c byte) bool { return c == 0 }) // of UTF-32
		for i, c := range text {
			if controlByte[c] != 0 {
				text[i] = ' '
			}
		}
	}
	return append(texts, text)
}

// Kinds of blobs besides those that are counted as skipped.
const (
	blobPlain  = ""       // not base64
	blobText   = "text"   // text, or compressed
	blobBinary = "binary" // of no kind that is known, which is counted and read as it stands
)

// blobKind tells what the blob in string i is, by its first bytes and its declared type, and returns its base64
// without line breaks.
func (d *Document) blobKind(i int) (kind, body string) {
	s := &d.strings[i]
	body = compact(s.Text)
	if n := extent(body, 0, len(body), setAllB64); n == 0 || n != len(body) || strings.IndexByte(strings.TrimRight(body, "="), '=') >= 0 {
		return blobPlain, body
	}
	head := decode64(body[:min(len(body), 1024)])
	if len(head) == 0 {
		return blobPlain, body
	}
	if compressed(head) || textual(d.sibling(i, "mimeType")) {
		return blobText, body
	}
	return sniff(head), body
}

// blobContent returns the text of the blob in string i, which is the string itself when that is no base64; "" when it has none or is
// compressed.
func (d *Document) blobContent(i int) string {
	kind, body := d.blobKind(i)
	switch {
	case kind == blobPlain, kind == blobBinary && strings.IndexByte(d.strings[i].Text, ' ') >= 0:
		return d.strings[i].Text
	case kind != blobText:
		return ""
	}
	plain, mime := decode64(body), d.sibling(i, "mimeType")
	if compressed(plain) && !textual(mime) {
		return ""
	}
	return string(legible(plain, mime)[0])
}

// compact removes the line breaks of wrapped base64.
func compact(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, ' ') < 0 {
		return s
	}
	return unwrap.Replace(s)
}

var unwrap = strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "")

// siblingReach is how many strings before and after another are looked at for members of its object, which are near: what is bounded
// stays linear.
const siblingReach = 32

// sibling returns the text of the string member called name beside string i.
func (d *Document) sibling(i int, name string) string {
	s := &d.strings[i]
	for _, way := range [...]int{-1, 1} {
		for n, j := 0, i+way; n < siblingReach && j >= 0 && j < len(d.strings); n, j = n+1, j+way {
			o := &d.strings[j]
			if !o.Key && o.Host == s.Host && o.container == s.container && o.name >= 0 && d.strings[o.name].Text == name {
				return o.Text
			}
		}
	}
	return ""
}

// textual reports whether a MIME type is that of text.
func textual(mime string) bool {
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	mime = strings.TrimSpace(mime)
	switch mime {
	case "application/json", "application/xml", "application/javascript", "application/yaml", "application/x-yaml", "application/toml",
		"application/x-sh", "application/sql", "application/x-ndjson", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+json") || strings.HasSuffix(mime, "+xml")
}

// sniff tells by the first bytes whether they are text, or what they are counted as.
func sniff(head []byte) string {
	t := http.DetectContentType(head)
	switch {
	case strings.HasPrefix(t, "text/"):
		return "text"
	case strings.HasPrefix(t, "image/"):
		return "image"
	case strings.HasPrefix(t, "audio/"), t == "application/ogg":
		return "audio"
	case strings.HasPrefix(t, "video/"):
		return "video"
	case strings.Contains(t, "zip"), strings.Contains(t, "rar"), strings.Contains(t, "tar"):
		return "archive"
	}
	if _, ok := readable(head); ok {
		return "text"
	}
	return blobBinary
}

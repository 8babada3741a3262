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
		if mime := sc.d.mimeType(sc.str); len(sc.folds) == folds || textual(mime) {
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
// where they or the type say so, or look like it, and else, or where only the type says so, as they stand.
func legible(b []byte, mime string) (texts [][]byte) {
	text, ok := readable(b)
	var mark []byte
	switch mime = strings.ToLower(mime); {
	case wideText(b):
	case strings.Contains(mime, "utf-16be"):
		mark = highFirst
	case strings.Contains(mime, "utf-16"):
		mark = lowFirst
	case !ok:
		mark = missingMark(b)
	}
	if mark != nil {
		if wide, ok := narrowed(slices.Concat(mark, b)); ok && !bytes.Equal(wide, text) {
			texts = append(texts, wide)
		}
	}
	if !ok {
		text = slices.DeleteFunc(bytes.ToValidUTF8(b, []byte("\uFFFD")), func(c byte) bool { return c == 0 }) // of UTF-32
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
	if compressed(head) || textual(d.mimeType(i)) {
		return blobText, body
	}
	return sniff(head), body
}

// blobTexts returns the texts of the blob in string i: what it encodes, unless that is compressed, and the string itself where it is
// no base64, or reads as words.
func (d *Document) blobTexts(i int) (texts []string) {
	s := &d.strings[i]
	kind, body := d.blobKind(i)
	if kind == blobPlain || strings.IndexByte(s.Text, ' ') >= 0 && spoken(s.Text) {
		texts = append(texts, s.Text)
	}
	if kind != blobText {
		return texts
	}
	plain, mime := decode64(body), d.mimeType(i)
	if compressed(plain) && !textual(mime) {
		return texts
	}
	for _, text := range legible(plain, mime) {
		texts = append(texts, string(text))
	}
	return texts
}

// compact removes the line breaks of wrapped base64.
func compact(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, ' ') < 0 {
		return s
	}
	return unwrap.Replace(s)
}

var unwrap = strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "")

// mimeType returns the type that is declared beside string i, "" for none.
func (d *Document) mimeType(i int) string {
	if c := d.strings[i].container; c >= 0 && d.mimeTypes != nil && d.mimeTypes[c] > 0 {
		return d.strings[d.mimeTypes[c]-1].Text
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
		return blobText
	case strings.HasPrefix(t, "image/"):
		return "image"
	case strings.HasPrefix(t, "audio/"), t == "application/ogg":
		return "audio"
	case strings.HasPrefix(t, "video/"):
		return "video"
	case strings.Contains(t, "zip"), strings.Contains(t, "rar"), strings.Contains(t, "tar"):
		return "archive"
	}
	if _, ok := readable(head); ok || missingMark(head) != nil {
		return blobText
	}
	return blobBinary
}

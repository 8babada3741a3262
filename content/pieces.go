package content

import "strings"

// maxPieces is how many strings a private key may be spread over.
const maxPieces = 256

// keysInPieces masks what follows a private key that ends with its string: keys are listed line by line, as elements of
// a list or as blocks of text.
func (sc *scan) keysInPieces() {
	for n := range sc.rep.Findings {
		f := &sc.rep.Findings[n]
		if f.Detector != detPrivateKey.name || f.Mask == "" || f.View != ViewRaw {
			continue
		}
		text := sc.d.strings[f.String].Text
		if f.End != len(strings.TrimRight(text, " \r\n")) || strings.Contains(text[f.Start:f.End], "-----END") {
			continue
		}
		sc.pieces(f.String)
	}
}

// pieces masks the strings after string i that continue the key in it.
func (sc *scan) pieces(i int) {
	first := &sc.d.strings[i]
	for j, n := i+1, 0; j < len(sc.d.strings) && n < maxPieces; j++ {
		s := &sc.d.strings[j]
		if s.Key || s.Host != first.Host || s.container != first.container && !sc.isBlockText(s) {
			if s.Key || s.Role == RoleMetadata {
				continue
			}
			return
		}
		text := strings.TrimSpace(s.Text)
		last := strings.Contains(text, "-----END")
		if text != "" && !last && extent(text, 0, len(text), pieceSet) != len(text) {
			return
		}
		if n++; text != "" {
			sc.str, sc.role, sc.path, sc.spans = j, s.Role, "", sc.spans[:0]
			sc.raw = view{text: s.Text, label: ViewRaw}
			sc.v, sc.text = &sc.raw, s.Text
			sc.hits = append(sc.hits[:0], hit{det: detPrivateKey, start: 0, end: len(s.Text)})
			sc.flush()
		}
		if last {
			return
		}
	}
}

// pieceSet is what the lines of a key are made of, its headers included.
var pieceSet = newCharset(lowerLetters + upperLetters + digitChars + "+/=-,:\n\r")

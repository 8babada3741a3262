package content

import "strings"

// A token may be written in pieces: over the lines of a quotation, a comment or a diff, over lines that end in a backslash or in the
// equals sign of quoted-printable, and in string literals that a program puts together.

// seam is what stands between two pieces.
type seam uint8

const (
	noSeam      seam = iota
	lineSeam         // the end of a line, which may as well be that of the token
	literalSeam      // from one string literal to the next
	softSeam         // the end of a line that says that it goes on
)

// Bounds of pieces, in bytes: the first of a token, one that is told by its own look, what stands before one on its line, and what
// stands between two literals.
const (
	minFirstPiece   = 16
	minTellingPiece = 8
	maxLineMarks    = 12
	maxLiteralSeam  = 48
	maxPieceLine    = 256
)

var (
	seamByte  = newCharset("=\\\"'`\r\n")
	lineMarks = newCharset(" \t>|#/*+;")
	lineStops = newCharset("\r\n\"'`,;\\<)=")
)

// seamAt returns where the text goes on behind the seam at byte i.
func seamAt(text string, i int) (next int, kind seam) {
	if i >= len(text) || !seamByte[text[i]] {
		return i, noSeam
	}
	switch text[i] {
	case '=':
		if next = overBreak(text, i+1); next > i+1 {
			return next, softSeam
		}
	case '\\':
		if next = overBreak(text, i+1); next == i+1 {
			return i, noSeam
		}
		if n := extent(text, next, maxLineMarks, skipBlank); n > next {
			return n, lineSeam // another word, in a shell
		}
		return next, softSeam
	case '\r', '\n':
		next = overBreak(text, i)
		marks := extent(text, next, maxLineMarks, lineMarks)
		return marks, lineSeam
	default:
		if n := overLiterals(text[i:min(len(text), i+maxLiteralSeam)]); n > 0 {
			return i + n, literalSeam
		}
	}
	return i, noSeam
}

// overBreak returns where the line after the break at byte i begins, i where none is.
func overBreak(text string, i int) int {
	if strings.HasPrefix(text[i:], "\r\n") {
		return i + 2
	}
	if i < len(text) && text[i] == '\n' {
		return i + 1
	}
	return i
}

// overLiterals returns the length of what stands between two string literals, from the closing mark of one, where s begins, to the
// opening mark of the other; 0 where a program does not put the two together.
func overLiterals(s string) int {
	joined := false
	for n := 1; n < len(s); n++ {
		switch s[n] {
		case s[0]:
			if joined {
				return n + 1
			}
			return 0
		case '+', '.', '&', '\n':
			joined = true
		case ' ', '\t', '\r', '\\', '_':
		default:
			return 0
		}
	}
	return 0
}

// wholeFunc reports whether the pieces of a token make a whole one, which may be longer yet.
type wholeFunc func(body []byte) bool

// overSeams follows a token that begins at byte at, and whose body begins at start and breaks off at end: over the pieces of it that
// follow, up to most bytes of set. It returns where the last of them ends, and the body without what stands between them. However
// many tokens begin in a text, a byte of it is read once.
func (sc *scan) overSeams(at, start, end, most int, set *charset, whole wholeFunc) (stop int, body string) {
	text := sc.text
	if end >= len(text) || !seamByte[text[end]] || at < sc.seamTo || end-at < minFirstPiece {
		return end, text[start:end]
	}
	from := max(0, at-maxPieceLine)
	first := pieceLine{start: from + 1 + strings.LastIndexByte(text[from:at], '\n')}
	first.width = end - first.start
	b := append(sc.glued[:0], text[start:end]...)
	stop = end
	for {
		next, kind := seamAt(text, stop)
		if kind == lineSeam && text[first.start] == '-' && next < len(text) && text[next] == '-' {
			next++ // on a line that a diff takes away
		}
		read := extent(text, next, most-len(b)+1, set)
		piece := text[next:read]
		sc.seamTo = max(sc.seamTo, read)
		if kind == noSeam || piece == "" || len(b)+len(piece) > most || strings.HasPrefix(piece, text[at:at+minKeyword]) && (len(b) == 0 || b[len(b)-1] != '.') ||
			kind == literalSeam && whole(b) && !tellingPiece(piece) && !shortPiece(piece) || kind == lineSeam && !first.goesOn(text, stop, read, piece, whole(b)) {
			break
		}
		b, stop = append(b, piece...), read
	}
	sc.glued = b
	if stop == end {
		return end, text[start:end]
	}
	return stop, string(b)
}

// pieceLine is the line that a token begins on, and then each that follows it.
type pieceLine struct {
	start, width int
	count        int  // lines that followed
	last         bool // a shorter one was among them, which is the last of the token
}

// goesOn reports whether a piece that ends at byte end is the next line of the token behind the break at byte at: all of a line, none
// longer than the one before, and nothing that a word would be. The first may be longer than all others, by what stands before the
// token.
func (l *pieceLine) goesOn(text string, at, end int, piece string, whole bool) bool {
	size := end - (at + 1 + strings.LastIndexByte(text[at:end], '\n'))
	if end < len(text) && !lineStops[text[end]] || l.last || size > l.width+1 {
		return false
	}
	short := size < l.width-1
	l.last = short && l.count > 0
	l.width = size
	l.count++
	switch {
	case len(piece) >= minTellingPiece || !short:
		return tellingPiece(piece)
	case whole:
		return shortPiece(piece)
	}
	return true
}

// shortPiece reports whether a piece may be the last bytes of a token that was whole without them.
func shortPiece(v string) bool { return len(v) < minTellingPiece && strings.ContainsAny(v, digitChars) }

// tellingPiece reports whether nobody would write a piece of text but as one of a token.
func tellingPiece(v string) bool {
	if opaqueValue(v) || len(v) < 2*minTellingPiece && mixed(v) && hasMixedCase(v) {
		return true
	}
	return unsteady(v)
}

// unsteady reports whether v changes between capitals, small letters and digits nearly every other time.
func unsteady(v string) bool {
	changes := 0
	for i := 1; i < len(v); i++ {
		changes += boolInt(isDigit(v[i-1]) != isDigit(v[i]) || isLetter(v[i-1]) && isLetter(v[i]) && (v[i-1]^v[i])&0x20 != 0)
	}
	return hasMixedCase(v) && changes*20 >= len(v)*9
}

// lineDash reports whether nothing but a hyphen stands before byte at on its line, as on one that a diff takes away.
func lineDash(text string, at int) bool {
	return at > 0 && text[at-1] == '-' && (at == 1 || text[at-2] == '\n')
}

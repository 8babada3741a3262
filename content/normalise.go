package content

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// foldPages maps characters to what the normalised view writes for them: pages of 256, shared when empty.
// Entry 0 is the character itself, 1 is nothing, one with foldByte set is that ASCII character, others index
// foldTo.
var foldPages, foldTo = buildFold()

const (
	maxFoldRune = 0x1ffff
	foldByte    = 0x8000

	firstRegional = 0x1f1e6 // the letters that flags are made of
)

func buildFold() (pages [(maxFoldRune + 1) >> 8]*[256]uint16, to []string) {
	to = make([]string, 2, 256)
	index := map[string]uint16{}
	set := func(r rune, v uint16) {
		p := &pages[r>>8]
		if *p == nil {
			*p = new([256]uint16)
		}
		(*p)[r&0xff] = v
	}
	for line := range strings.Lines(foldData) {
		code, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		r, err := strconv.ParseInt(code, 16, 32)
		if err != nil {
			panic("fold table: " + err.Error())
		}
		v, ok := index[text]
		if len(text) == 1 {
			v, ok = foldByte|uint16(text[0]), true
		}
		if !ok {
			v = uint16(len(to))
			to = append(to, text)
			index[text] = v
		}
		set(rune(r), v)
	}
	for _, digits := range unicode.Nd.R16 {
		// The digits of other scripts are told by their value, whatever they look like.
		for r := rune(digits.Lo); r <= rune(digits.Hi) && r >= 0x80; r++ {
			set(r, foldByte|uint16('0'+(r-rune(digits.Lo))%10))
		}
	}
	for r := rune(firstRegional); r < firstRegional+26; r++ {
		set(r, foldByte|uint16('a'+r-firstRegional))
	}
	for r := rune(0x80); r <= maxFoldRune; r++ {
		if invisibleOf(r) != visible || isMark(r) && r >= 0x300 {
			set(r, 1)
		}
	}
	return pages, to
}

// asciiStrings are the strings of one ASCII character.
var asciiStrings = func() (t [128]string) {
	for i := range t {
		t[i] = string(rune(i))
	}
	return t
}()

// normalise folds a text, which must be valid UTF-8. ok is false when that changes nothing that a detector could
// see, which is a letter, a digit, a space, a mark that detectors look for, or something invisible: typographic
// quotes and dashes and the punctuation of other scripts do not count.
func normalise(text string) (folded string, ok bool) {
	if !material(text) {
		return "", false
	}
	var r trailRoom
	r.fold(text)
	return string(r.text), true
}

// fold makes the folded text: compatibility forms and look-alikes become ASCII, accents and everything invisible go.
// Nothing grows by more than eight bytes a character. The pieces of its trail are not written down: foldedPiece reads
// them again, which nearly all texts are spared.
func (r *trailRoom) fold(text string) {
	r.begin(len(text))
	b, o := r.text[:len(text)], 0 // there is room for what is left of the text, always
	same := 0                     // where what stays as it is begins in the text
	for i := 0; i < len(text); {
		if o >= r.way {
			r.waypoint(i, o)
		}
		c := text[i]
		switch {
		case c < utf8.RuneSelf && (i+8 > len(text) || text[i+1] >= utf8.RuneSelf):
			// A blank between words of another script.
			b[o] = c
			i, o = i+1, o+1
			continue
		case c < utf8.RuneSelf:
			// Mostly few up to the next character of another script, which is written with them and then written over.
			eight := bytes8(text, i)
			binary.LittleEndian.PutUint64(b[o:], eight)
			if high := eight & highBits; high != 0 {
				n := bits.TrailingZeros64(high) / 8
				i, o = i+n, o+n
				continue
			}
			end := asciiEnd(text, i+8)
			copy(b[o+8:], text[i+8:end])
			i, o = end, o+end-i
			continue
		case c < 0xe0:
			// Which letters have a look-alike is nothing that the processor could guess, so all are written, and taken for changed, in
			// the same way.
			w := foldPairs[uint(c&0x1f)<<6|uint(text[i+1]&0x3f)]
			if w == 0 {
				break
			}
			r.stretch(same, i, o)
			for w != 0 {
				binary.LittleEndian.PutUint16(b[o:], uint16(w))
				i, o = i+2, o+int(w>>16)
				if i == len(text) || text[i]&0xe0 != 0xc0 || o >= r.way {
					break
				}
				w = foldPairs[uint(text[i]&0x1f)<<6|uint(text[i+1]&0x3f)]
			}
			same = i
			continue
		case c < 0xf0 && !foldable.has3(text[i:i+3]):
			b[o], b[o+1], b[o+2] = c, text[i+1], text[i+2]
			i, o = i+3, o+3
			continue
		}
		v, n := foldAt(text, i)
		if v == 0 {
			o += copy(b[o:], text[i:i+n])
			i += n
			continue
		}
		r.stretch(same, i, o)
		i += n
		same = i
		if v&foldByte != 0 {
			b[o] = byte(v)
			o++
			continue
		}
		b = append(b[:o], foldTo[v]...)
		o = len(b)
		b = slices.Grow(b, len(text)-i)[:o+len(text)-i]
	}
	r.stretch(same, len(text), o)
	r.text = b[:o]
}

// foldPairs is what characters of two bytes become if that is one byte or two: these bytes, the first in the lowest place, and
// their number. It is 0 for others.
var foldPairs = func() (t [0x800]uint32) {
	for r := rune(utf8.RuneSelf); r < 0x800; r++ {
		switch v := foldLow[r]; {
		case v == 0:
			s := string(r)
			t[r] = uint32(s[0]) | uint32(s[1])<<8 | 2<<16
		case v&foldByte != 0:
			t[r] = uint32(byte(v)) | 1<<16
		}
	}
	return t
}()

// foldable are the characters of up to three bytes that folding changes.
var foldable = newRuneSet(func(r rune) bool { return foldPages[r>>8] != nil && foldPages[r>>8][r&0xff] != 0 })

// foldUnit folds the character at i, or takes the ASCII up to the next.
func foldUnit(src string, i int) (int, string) {
	if src[i] < utf8.RuneSelf {
		n := asciiEnd(src, i) - i
		return n, src[i : i+n]
	}
	v, n := foldAt(src, i)
	switch {
	case v == 0:
		return n, src[i : i+n]
	case v&foldByte != 0:
		return n, asciiStrings[byte(v)]
	}
	return n, foldTo[v]
}

// sparse reports whether a text is long and nearly all ASCII.
func sparse(text string) bool {
	few := len(text) / sparseness
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if high := bytes8(text, i) & highBits; high != 0 {
			if few -= bits.OnesCount64(high); few < 0 {
				return false
			}
		}
	}
	for ; i < len(text); i++ {
		few -= int(text[i] >> 7)
	}
	return few >= 0 && len(text) >= 8*viewReach
}

// sparseness is how many bytes there are at least for each that is not ASCII in a text that is sparse in them.
const sparseness = 128

// foldedPiece returns how many bytes at the start of a text folding leaves as they are, and that the n bytes behind them
// become m. Of a long stretch that stays it returns a part, with nothing behind it: looks begin all over the stretch, and each of
// them shall read little of it.
func foldedPiece(text string) (stay, n, m int) {
	near := min(len(text), maxFoldedPiece)
	for stay < near {
		if text[stay] < 0x80 {
			stay = asciiEnd(text[:near], stay)
			continue
		}
		v, n := foldAt(text, stay)
		switch {
		case v == 0:
			stay += n
		case v&foldByte != 0:
			return stay, n, 1
		default:
			return stay, n, len(foldTo[v])
		}
	}
	return stay, 0, 0
}

// maxFoldedPiece is how much is read to find the next piece of a folded text, in bytes.
const maxFoldedPiece = 4 * wayLength

// asciiEnd returns where the ASCII from byte i on ends.
func asciiEnd(text string, i int) int {
	for ; i+8 <= len(text); i += 8 {
		if high := bytes8(text, i) & highBits; high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// highBits are what no byte of ASCII has, of eight.
const highBits = 0x8080808080808080

// bytes8 returns the eight bytes of text from byte i on, the first in the lowest place.
func bytes8(text string, i int) uint64 {
	t := text[i : i+8]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// material reports whether folding changes anything that counts.
func material(text string) bool {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c < utf8.RuneSelf:
			i = asciiEnd(text, i)
			continue
		case c < 0xe0:
			if !materialRunes.has2(text[i : i+2]) {
				i += 2
				continue
			}
		case c < 0xf0:
			if !materialRunes.has3(text[i : i+3]) {
				i += 3
				continue
			}
		}
		v, n := foldAt(text, i)
		if materialFold(v) || i > 0 && i+n < len(text) && dashFold(v) && isDigit(text[i-1]) && isDigit(text[i+n]) {
			return true
		}
		i += n
	}
	return false
}

// materialFold reports whether what a character becomes is something that detectors look for.
func materialFold(v uint16) bool { return v != 0 && (v&foldByte == 0 || materialByte[byte(v)]) }

// dashFold reports whether a character becomes a hyphen: a dash of print between the groups of a number is material.
func dashFold(v uint16) bool { return v == foldByte|'-' }

// materialRunes are the characters of up to three bytes for which either may hold.
var materialRunes = newRuneSet(func(r rune) bool {
	p := foldPages[r>>8]
	return p != nil && (materialFold(p[r&0xff]) || dashFold(p[r&0xff]))
})

// foldAt returns the entry of the character at i, which is not ASCII, and its length.
func foldAt(text string, i int) (v uint16, n int) {
	c := text[i]
	var r rune
	switch {
	case c < 0xe0:
		return foldLow[uint(c&0x1f)<<6|uint(text[i+1]&0x3f)], 2
	case c < 0xf0:
		r, n = rune(c&0x0f)<<12|rune(text[i+1]&0x3f)<<6|rune(text[i+2]&0x3f), 3
	default:
		if r, n = utf8.DecodeRuneInString(text[i:]); r > maxFoldRune {
			if invisibleOf(r) != visible {
				return 1, n
			}
			return 0, n
		}
	}
	if p := foldPages[r>>8]; p != nil {
		return p[r&0xff], n
	}
	return 0, n
}

// foldLow is the part of the table for characters of two bytes, which most alphabets are in, in one piece.
var foldLow = func() (t [0x800]uint16) {
	for r := range t {
		if p := foldPages[r>>8]; p != nil {
			t[r] = p[r&0xff]
		}
	}
	return t
}()

// materialByte are the characters that detectors look for.
var materialByte = newCharset(lowerLetters + upperLetters + digitChars + " @|<>[]=%&_/.#:\\")

// Skeleton returns what a name looks like: look-alikes and compatibility forms folded to ASCII, invisible
// characters and accents removed, letters in lower case. Two names with one skeleton are confusable.
func Skeleton(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if folded, ok := normalise(name); ok {
		name = folded
	}
	return strings.ToLower(name)
}

package tokenizer

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// charsmap is SentencePiece's precompiled normalisation table: a darts-clone
// double array that maps byte strings to places in a block of NUL-terminated
// replacements. The layout of a unit is that of darts-clone
// (github.com/s-yata/darts-clone, darts.h, class DoubleArrayUnit).
type charsmap struct {
	units []uint32
	block string
	// ascii holds the replacement of every single ASCII byte.
	ascii [utf8.RuneSelf]replacement
}

type replacement struct {
	text   string
	mapped bool
}

// wholeClusterBelow is the length in bytes below which the reference looks up
// a grapheme cluster as a whole before it looks up its runes one by one.
const wholeClusterBelow = 6

func parseCharsmap(b []byte) (*charsmap, error) {
	if len(b) < 4 {
		return nil, errors.New("table is shorter than its header")
	}
	n := binary.LittleEndian.Uint32(b)
	if n == 0 || n%4 != 0 || uint64(n)+4 > uint64(len(b)) {
		return nil, errors.New("table length does not fit")
	}
	m := &charsmap{block: string(b[4+n:]), units: make([]uint32, n/4)}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(b[4+4*i:])
	}
	for c := range m.ascii {
		m.ascii[c].text, m.ascii[c].mapped = m.lookup([]byte{byte(c)})
	}
	return m, nil
}

func unitOffset(u uint32) uint32 { return (u >> 10) << ((u & (1 << 9)) >> 6) }

// lookup returns the replacement of the shortest entry that chunk begins with.
// The reference replaces the whole chunk by it, even where the entry is only
// the chunk's beginning. Every index is checked: the table comes from a file.
func (m *charsmap) lookup(chunk []byte) (string, bool) {
	at := unitOffset(m.units[0])
	for _, c := range chunk {
		if c == 0 {
			return "", false
		}
		at ^= uint32(c)
		if uint64(at) >= uint64(len(m.units)) {
			return "", false
		}
		u := m.units[at]
		if u&(1<<31|0xff) != uint32(c) {
			return "", false
		}
		at ^= unitOffset(u)
		if u>>8&1 == 0 {
			continue
		}
		if uint64(at) >= uint64(len(m.units)) {
			return "", false
		}
		start := int(m.units[at] & (1<<31 - 1))
		if start > len(m.block) {
			return "", false
		}
		end := start
		for end < len(m.block) && m.block[end] != 0 {
			end++
		}
		return m.block[start:end], true
	}
	return "", false
}

func (m *charsmap) normalize(src, dst *aligned) *aligned {
	text := src.text
	dst.reset(len(text) + 16)
	dst.ascii = src.ascii
	state := -1
	for i := 0; i < len(text); {
		if c := text[i]; aloneASCII(text, i) {
			if r := &m.ascii[c]; r.mapped {
				dst.pushMapped(r.text, src.from[i], src.to[i])
			} else {
				dst.push(c, src.from[i], src.to[i])
			}
			i++
			state = -1
			continue
		}
		cluster, _, _, next := uniseg.FirstGraphemeCluster(text[i:], state)
		state = next
		m.cluster(src, dst, i, i+len(cluster))
		i += len(cluster)
	}
	return dst
}

// aloneASCII reports whether the byte at i is a grapheme cluster of its own,
// without asking the segmenter: between two ASCII bytes there is always a
// boundary except within CR LF.
func aloneASCII(text []byte, i int) bool {
	if text[i] >= utf8.RuneSelf {
		return false
	}
	if i+1 == len(text) {
		return true
	}
	return text[i+1] < utf8.RuneSelf && !(text[i] == '\r' && text[i+1] == '\n')
}

func (m *charsmap) cluster(src, dst *aligned, lo, hi int) {
	if hi-lo < wholeClusterBelow {
		if r, ok := m.lookup(src.text[lo:hi]); ok {
			dst.pushMapped(r, src.from[lo], src.to[hi-1])
			return
		}
	}
	for lo < hi {
		_, size := utf8.DecodeRune(src.text[lo:hi])
		if r, ok := m.lookup(src.text[lo : lo+size]); ok {
			dst.pushMapped(r, src.from[lo], src.to[lo+size-1])
		} else {
			dst.pushSpan(src, lo, lo+size)
		}
		lo += size
	}
}

func (a *aligned) pushMapped(s string, from, to int32) {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			a.ascii = false
			break
		}
	}
	a.pushString(s, from, to)
}

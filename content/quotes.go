package content

import "strings"

// quoteMarks are the marks of quotations and what ends a line, which ends all of them. The number of a mark is its place.
var quoteMarks = [...]string{"", "\n", "\"", "`", "'", "“", "”", "«", "»", "‘", "’", "„", "「", "」"}

// The marks that have a name here.
const (
	quoteNone = iota
	quoteLine
	quoteDouble
	quoteBack
	quoteSingle
	quoteTypographic // the first of the others
)

// typographic are the pairs of marks that differ.
var typographic = [...]struct{ open, closing uint8 }{{5, 6}, {7, 8}, {9, 10}, {11, 5}, {12, 13}}

// quoteByte are the bytes that a mark begins with.
var quoteByte = newCharset("\n\"'`\xc2\xe2\xe3")

// quoteMemo remembers the marks of quotations in a text, as far back as they are asked for. Looks come with rising
// places, nearly always, so each byte is read once.
type quoteMemo struct {
	marks    []quoteMark
	first    int // the first of them that still counts
	from, to int // what was read
}

// quoteMark is a mark and where it stands.
type quoteMark struct {
	at   int
	mark uint8
}

// reset forgets the text.
func (m *quoteMemo) reset(at int) {
	m.marks, m.first, m.from, m.to = m.marks[:0], 0, at, at
}

// read finds the marks in text[start:at] and forgets those before.
func (m *quoteMemo) read(text string, start, at int) []quoteMark {
	if start < m.from || start > m.to {
		m.reset(start)
	}
	m.from = start
	for m.first < len(m.marks) && m.marks[m.first].at < start {
		m.first++
	}
	if m.first > 64 && 2*m.first > len(m.marks) {
		m.marks = append(m.marks[:0], m.marks[m.first:]...)
		m.first = 0
	}
	for ; m.to < at; m.to++ {
		if !quoteByte[text[m.to]] {
			continue
		}
		for k := quoteLine; k < len(quoteMarks); k++ {
			if strings.HasPrefix(text[m.to:], quoteMarks[k]) {
				m.marks = append(m.marks, quoteMark{m.to, uint8(k)})
				break
			}
		}
	}
	return m.marks[m.first:]
}

// quotation returns where the innermost quotation that is open at byte at begins on its line, -1 for none, and the
// mark that ends it.
func (m *quoteMemo) quotation(text string, at int) (open int, closing string) {
	open = -1
	ends := uint8(quoteNone)
	for _, q := range m.read(text, max(0, at-quotedLine), at) {
		if q.at+len(quoteMarks[q.mark]) > at {
			break
		}
		switch {
		case q.mark == quoteLine:
			open, ends = -1, quoteNone
		case q.mark == quoteSingle && !quotes(text, q.at, ends):
		case q.mark < quoteTypographic && ends == q.mark:
			open, ends = -1, quoteNone
		case q.mark < quoteTypographic:
			if open < 0 || q.mark != quoteSingle {
				open, ends = q.at, q.mark
			}
		default:
			for _, t := range typographic {
				if q.mark == t.open && ends != t.open {
					open, ends = q.at, t.closing
					break
				}
				if q.mark == ends && ends == t.closing {
					open, ends = -1, quoteNone
					break
				}
			}
		}
	}
	return open, quoteMarks[ends]
}

// quotes reports whether the single mark at byte i is one: between letters it is an apostrophe.
func quotes(text string, i int, ends uint8) bool {
	return i == 0 || !isAlnum(text[i-1]) || ends == quoteSingle && !isAlnum(text[i+1])
}

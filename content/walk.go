package content

import (
	"hash/maphash"
	"sync"
)

// jsonBlanks are what JSON allows between its tokens.
const jsonBlanks = " \t\r\n"

// frame is an object or array that is open while parsing.
type frame struct {
	node   int32 // index into containers, -1 while no string was seen inside
	name   int32
	elem   int32
	next   int32 // index of the next element
	start  int
	names  int // where the names of an object begin in those of the walker
	object bool
	card   int32 // one more than the name of the list that announces cards or account numbers, 0 for none
	codes  int32 // elements that are numbers of characters
}

// walker reads JSON texts strictly and adds their strings, containers and telling numbers to a document, in one pass. It tells
// whether a text is valid, and leaves why it is not to whoever asks a decoder.
type walker struct {
	doc                         *Document
	src                         string
	host                        int
	first, maxDepth, maxStrings int // the number of strings before, and the limits
	stack                       []frame
	room                        [8]frame // of stack, for what is not nested deeper
	name                        int32    // the member name whose value is next, -1 for none

	names []int32 // the strings that are the names of the open objects, those of the innermost last
	table []int32 // for finding equal ones among many
	text  []byte  // a string without its escapes
}

// walkers keeps the rooms of walks that are over, as scans does.
var walkers sync.Pool

func newWalker(d *Document) *walker {
	w, ok := walkers.Get().(*walker)
	if !ok {
		w = &walker{}
	}
	w.doc = d
	return w
}

// release keeps the room of a walk that is over, with no reference to the document in it.
func (w *walker) release() {
	const nameBytes = 4
	if cap(w.text)+nameBytes*(cap(w.names)+cap(w.table)) > maxRoom {
		return
	}
	*w = walker{names: w.names, table: w.table, text: w.text}
	walkers.Put(w)
}

// malformed says that a text is no JSON, without a reason.
var malformed = &ParseError{Kind: KindSyntax, Offset: -1}

// decoderDepth is how deep the decoder goes that is asked for reasons: nothing deeper may be accepted either.
const decoderDepth = 10_000

// walk reads the text of string host, -1 for the body. Only the body must not repeat names: an embedded document just has to be
// found. The error is malformed, or about a limit.
func (w *walker) walk(src string, host, maxDepth, maxStrings int) *ParseError {
	w.src, w.host, w.first = src, host, len(w.doc.strings)
	w.maxDepth, w.maxStrings = min(maxDepth, decoderDepth), maxStrings
	w.stack, w.name, w.names = w.room[:0], -1, w.names[:0]
	i := skipBlanks(src, 0)
	for {
		end, opened, err := w.value(i)
		if err != nil {
			return err
		}
		if i = end; opened {
			continue
		}
		for more := false; !more; {
			if i = skipBlanks(src, i); len(w.stack) == 0 {
				if i < len(src) {
					return malformed
				}
				return nil
			}
			top := &w.stack[len(w.stack)-1]
			switch {
			case i == len(src):
				return malformed
			case src[i] == ',':
				if i = skipBlanks(src, i+1); top.object {
					if i, err = w.member(i); err != nil {
						return err
					}
				}
				more = true
			case src[i] == '}' && top.object, src[i] == ']' && !top.object:
				i++
				if !w.close(i) {
					return malformed
				}
			default:
				return malformed
			}
		}
	}
}

// value reads the value that is due at byte i and returns where it ends, or, of a container that has something in it, where the
// first value in it is due.
func (w *walker) value(i int) (end int, opened bool, err *ParseError) {
	src := w.src
	if i == len(src) {
		return 0, false, malformed
	}
	switch c := src[i]; c {
	case '"':
		end, err = w.str(i, false)
		return end, false, err
	case '{', '[':
		if len(w.stack) >= w.maxDepth {
			return 0, false, &ParseError{Kind: KindTooDeep, Offset: int64(i)}
		}
		elem, card := w.element(), int32(0)
		if c == '[' || w.name < 0 {
			card = w.announced()
		}
		w.stack = append(w.stack, frame{node: -1, name: w.name, elem: elem, start: i, names: len(w.names), object: c == '{', card: card})
		w.name = -1
		i = skipBlanks(src, i+1)
		switch {
		case i < len(src) && src[i] == c+2: // the same bracket, closing
			w.close(i + 1)
			return i + 1, false, nil
		case c == '{':
			end, err = w.member(i)
			return end, true, err
		}
		return i, true, nil
	case 't':
		return w.literal(i, "true")
	case 'f':
		return w.literal(i, "false")
	case 'n':
		return w.literal(i, "null")
	}
	if end = numberEnd(src, i); end == 0 {
		return 0, false, malformed
	}
	w.number(i, end)
	return end, false, nil
}

// literal reads a value that is a word.
func (w *walker) literal(i int, word string) (end int, opened bool, err *ParseError) {
	if end = i + len(word); end > len(w.src) || w.src[i:end] != word {
		return 0, false, malformed
	}
	w.element()
	w.name = -1
	return end, false, nil
}

// member reads the name of a member that is due at byte i, and returns where its value is due.
func (w *walker) member(i int) (int, *ParseError) {
	src := w.src
	if i == len(src) || src[i] != '"' {
		return 0, malformed
	}
	i, err := w.str(i, true)
	if err != nil {
		return 0, err
	}
	if i = skipBlanks(src, i); i == len(src) || src[i] != ':' {
		return 0, malformed
	}
	return skipBlanks(src, i+1), nil
}

// close ends the innermost container, at byte end, and reports whether its names are distinct where they have to be.
func (w *walker) close(end int) bool {
	top := len(w.stack) - 1
	f := &w.stack[top]
	if f.node >= 0 {
		w.doc.containers[f.node].end = end
	}
	if f.codes >= minCodes && f.codes == f.next {
		// The array's own name, or what stands before it.
		name := f.name
		if name < 0 {
			name = int32(len(w.doc.strings) - 1)
		}
		w.doc.rows = append(w.doc.rows, numberRow{name: name, host: int32(w.host), start: f.start, end: end})
	}
	names := w.names[f.names:]
	w.names, w.stack, w.name = w.names[:f.names], w.stack[:top], -1
	return w.host >= 0 || w.distinct(names)
}

// fewNames is how many names are compared with each other. More are looked up.
const fewNames = 8

// nameSeed keeps whoever chooses names from choosing where they are looked up.
var nameSeed = maphash.MakeSeed()

// distinct reports whether no two of some names are equal.
func (w *walker) distinct(names []int32) bool {
	all := w.doc.strings
	if len(names) <= fewNames {
		for k, a := range names {
			for _, b := range names[:k] {
				if all[a].Text == all[b].Text {
					return false
				}
			}
		}
		return true
	}
	size := 2 * fewNames
	for size < 2*len(names) {
		size *= 2
	}
	w.table = cleared(w.table, size) // of names and one more, 0 for none
	for _, a := range names {
		text := all[a].Text
		k := maphash.String(nameSeed, text)
		for ; ; k++ {
			place := &w.table[k&uint64(size-1)]
			if *place == 0 {
				*place = a + 1
				break
			}
			if all[*place-1].Text == text {
				return false
			}
		}
	}
	return true
}

// skipBlanks returns where the blanks from byte i on end.
func skipBlanks(src string, i int) int {
	for i < len(src) && src[i] <= ' ' && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// numberEnd returns where the number that begins at byte i ends, 0 when there is none.
func numberEnd(src string, i int) int {
	if src[i] == '-' {
		i++
	}
	end := digitsEnd(src, i)
	if end == i || src[i] == '0' && end > i+1 {
		return 0
	}
	if i = end; i < len(src) && src[i] == '.' {
		if end = digitsEnd(src, i+1); end == i+1 {
			return 0
		}
		i = end
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		if i++; i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		if end = digitsEnd(src, i); end == i {
			return 0
		}
		i = end
	}
	return i
}

// digitsEnd returns where the digits from byte i on end.
func digitsEnd(src string, i int) int {
	for i < len(src) && isDigit(src[i]) {
		i++
	}
	return i
}

// element returns the index of a value that begins in the innermost container, -1 where that is no array.
func (w *walker) element() int32 {
	if len(w.stack) == 0 {
		return -1
	}
	top := &w.stack[len(w.stack)-1]
	if top.object {
		return -1
	}
	top.next++
	return top.next - 1
}

// str adds the string that begins at byte start, the name of a member or a value, and returns where it ends.
func (w *walker) str(start int, key bool) (int, *ParseError) {
	d := w.doc
	text, end := w.quoted(start)
	if end == 0 {
		return 0, malformed
	}
	if len(d.strings)-w.first >= w.maxStrings {
		return 0, &ParseError{Kind: KindTooManyStrings, Offset: int64(end)}
	}
	s := String{Text: text, Start: start, End: end, Host: w.host, container: w.materialise(), name: w.name, element: w.element(), Key: key}
	d.strings = append(d.strings, s)
	if w.name = -1; key {
		w.name = int32(len(d.strings) - 1)
		w.names = append(w.names, w.name)
	}
	return end, nil
}

// number remembers the number src[start:end] if the name of its member, or of the array or object that it is in, tells what it is.
func (w *walker) number(start, end int) {
	w.element()
	card := w.announced()
	if n := len(w.stack); n > 0 {
		top := &w.stack[n-1]
		switch {
		case card == 0 && top.object && numberName(w.doc.strings[w.name].Text):
			if card = top.card; top.name >= 0 && numberKey(w.doc.strings[top.name].Text) {
				card = top.name + 1
			}
		case !top.object && end-start <= 3 && characterNumber(w.src, start, end):
			top.codes++
		}
	}
	if card > 0 {
		w.doc.numbers = append(w.doc.numbers, number{name: card - 1, start: start, end: end})
	}
	w.name = -1
}

// announced returns one more than the member name that announces a card or account number in the value that is next: its own, or
// that of the list that it is in. It is 0 for none.
func (w *walker) announced() int32 {
	switch n := len(w.stack); {
	case w.name >= 0 && numberKey(w.doc.strings[w.name].Text):
		return w.name + 1
	case w.name < 0 && n > 0:
		return w.stack[n-1].card
	}
	return 0
}

// materialise records the open containers and returns the index of the innermost, -1 at the top.
func (w *walker) materialise() int32 {
	d, stack := w.doc, w.stack
	n := len(stack)
	if n == 0 {
		return -1
	}
	if stack[n-1].node >= 0 {
		return stack[n-1].node
	}
	i := n - 1
	for i > 0 && stack[i-1].node < 0 {
		i--
	}
	for ; i < n; i++ {
		parent := int32(-1)
		if i > 0 {
			parent = stack[i-1].node
		}
		f := &stack[i]
		f.node = int32(len(d.containers))
		d.containers = append(d.containers, container{parent: parent, name: f.name, element: f.elem,
			host: int32(w.host), start: f.start, object: f.object})
	}
	return stack[n-1].node
}

package content

import "strings"

// jsonBlanks are what JSON allows between its tokens.
const jsonBlanks = " \t\r\n"

// frame is an object or array that is open while parsing.
type frame struct {
	node   int32 // index into containers, -1 while no string was seen inside
	name   int32
	elem   int32
	next   int32 // index of the next element
	start  int
	object bool
	card   bool  // the member name announces a card or account number
	codes  int32 // elements that are numbers of characters
}

// walker adds the strings, containers and telling numbers of one JSON text to a document. The text is valid: a decoder has
// read it, so nothing about it is checked again, and a byte tells which token it begins.
type walker struct {
	doc                         *Document
	src                         string
	host                        int
	first, maxDepth, maxStrings int // the number of strings before, and the limits
	stack                       []frame
	room                        [8]frame // of stack, for what is not nested deeper
	name                        int32    // the member name whose value is next, -1 for none
	sensitive                   bool     // it announces a card or account number
}

// walk reads the text. Its errors are about limits.
func (w *walker) walk() *ParseError {
	src := w.src
	w.stack, w.name = w.room[:0], -1
	for i := 0; i < len(src); {
		switch c := src[i]; c {
		case '"':
			end := stringEnd(src, i)
			if err := w.str(i, end); err != nil {
				return err
			}
			i = end
		case '{', '[':
			if len(w.stack) >= w.maxDepth {
				return &ParseError{Kind: KindTooDeep, Offset: int64(i)}
			}
			elem := w.element()
			w.stack = append(w.stack, frame{node: -1, name: w.name, elem: elem, start: i, object: c == '{', card: w.name >= 0 && w.sensitive})
			w.name = -1
			i++
		case '}', ']':
			top := len(w.stack) - 1
			if node := w.stack[top].node; node >= 0 {
				w.doc.containers[node].end = i + 1
			}
			if f := &w.stack[top]; f.codes >= minCodes && f.codes == f.next {
				// The array's own name, or what stands before it.
				name := f.name
				if name < 0 {
					name = int32(len(w.doc.strings) - 1)
				}
				w.doc.rows = append(w.doc.rows, numberRow{name: name, host: int32(w.host), start: f.start, end: i + 1})
			}
			w.stack = w.stack[:top]
			w.name = -1
			i++
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := extent(src, i, len(src), numberSet)
			w.number(i, end)
			i = end
		case 't', 'f', 'n':
			w.element()
			w.name = -1
			i += len("true") + boolInt(c == 'f')
		default:
			i++ // a blank, a comma or a colon
		}
	}
	return nil
}

// numberSet is what numbers are made of.
var numberSet = newCharset(digitChars + "+-.eE")

// stringEnd returns where the string that begins at byte i ends: behind the first quotation mark that no backslash escapes.
func stringEnd(src string, i int) int {
	for i++; ; i++ {
		i += strings.IndexByte(src[i:], '"')
		escapes := i
		for src[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 {
			return i + 1
		}
	}
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

// str adds the string src[start:end]: the name of a member where one is due, else a value.
func (w *walker) str(start, end int) *ParseError {
	d := w.doc
	if len(d.strings)-w.first >= w.maxStrings {
		return &ParseError{Kind: KindTooManyStrings, Offset: int64(end)}
	}
	named := len(w.stack) > 0 && w.stack[len(w.stack)-1].object
	s := String{Text: unquote(w.src[start:end]), Start: start, End: end, Host: w.host, container: w.materialise(),
		name: w.name, element: w.element(), Key: named && w.name < 0}
	d.strings = append(d.strings, s)
	if w.name = -1; s.Key {
		w.name = int32(len(d.strings) - 1)
		w.sensitive = numberKey(s.Text)
	}
	return nil
}

// number remembers the number src[start:end] if the name of its member, or of the array that it is in, tells what it is.
func (w *walker) number(start, end int) {
	w.element()
	d := w.doc
	if w.name >= 0 && w.sensitive {
		d.numbers = append(d.numbers, number{name: w.name, start: start, end: end})
	} else if n := len(w.stack); n > 0 && !w.stack[n-1].object {
		top := &w.stack[n-1]
		if top.card {
			d.numbers = append(d.numbers, number{name: top.name, start: start, end: end})
		}
		if end-start <= 3 && characterNumber(w.src, start, end) {
			top.codes++
		}
	}
	w.name = -1
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

package content

import "strings"

// A table tells what the numbers in a column are in its first line: name,card_number,exp. What stands next to a number in
// a row of it says nothing.

// cellFunc returns the length of what is looked for at the start of a cell, 0 for nothing.
type cellFunc func(cell string) int

// columnNames are the names of columns that hold the numbers of cards and of social security, or passwords.
var columnNames = []struct {
	words []string
	det   **detector
	cell  cellFunc
}{
	{[]string{"card_n", "card n", "cardn", "card-n", "cc_n", "ccn", "credit_card", "creditcard", "credit card", "debit card", "debit_card", "payment_card", "kreditkarte", "kartennummer", "tarjeta", "carte bancaire", "carte bleue", "numero de carte", "carta di credito", "cartão", "pan,", "pan\t", "pan;", "pan|", "pan |", "pan\"", "pan\n", "primary account", "银行卡", "卡号"}, &detCard, cardCell},
	{[]string{"password,", "password;", "password|", "password |", "password\t", "password\n", "password\",", "passwd,", "passwd|", "passwd\t", "passwort;", "passwort,", "kennwort;", "pwd,", "pwd|", "pwd;"}, &detCredential, passwordCell},
	{[]string{"ssn", "social_security", "social security", "socialsecurity"}, &detSSN, ssnCell},
}

func columnKeywords() []keyword {
	k := []keyword{{text: "insert into ", look: func(sc *scan, at int) { sc.inserted(at + len("insert into ")) }}}
	for _, c := range columnNames {
		for _, w := range c.words {
			k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.column(at, *c.det, c.cell) }})
		}
	}
	return k
}

func cardCell(cell string) int {
	end := 0
	for end < len(cell) && (isDigit(cell[end]) || end > 0 && (cell[end] == ' ' || cell[end] == '-')) {
		end++
	}
	if d := digitsOf(cell[:end]); end == len(cell) && cardIssuer(d) && luhn(d) && strings.Trim(d, d[:1]) != "" {
		return end
	}
	return 0
}

func ssnCell(cell string) int {
	if len(cell) == 9 && of(cell, 0, 9, setDigits) && ssnValid(cell) {
		return len(cell)
	}
	return 0
}

// passwordCell looks for what no word is: what stands in such a column is a password, a rule about one, or the sign that there is
// none. Behind a list of arguments, it is the next with its default.
func passwordCell(cell string) int {
	if len(cell) >= 6 && !namedValue(cell) && strongPassword(cell) && credentialPassword.accepts(cell, false) {
		return len(cell)
	}
	return 0
}

// identityCell looks for an identity number of one of the kinds.
func identityCell(kinds []*idKind) cellFunc {
	return func(cell string) int {
		if cell == "" || !isAlnum(cell[0]) {
			return 0
		}
		if stop := identityAt(cell, 0, kinds); stop == len(cell) {
			return stop
		}
		return 0
	}
}

// Bounds of a table: the longest line that is its first, the longest cell, in bytes, and how many columns of one are read.
const (
	maxTableHead = 1024
	maxCell      = 64
	maxColumns   = 8
)

// tableMemo remembers the table that was read last.
type tableMemo struct {
	start, end int // its first line and its end
	columns    int // that were read, as many as are read of one where the line is none of a table
}

// column looks at the name of a column, at byte at: what stands under it, down to the end of the table.
func (sc *scan) column(at int, det *detector, cell cellFunc) {
	text, t := sc.text, &sc.table
	if det == detCredential {
		t = &sc.logins // many lines name a password and are no head of a table: none of them hides another table
	}
	if at > 0 && isLetter(text[at-1]) && (text[at] >= 'a' || text[at-1] < 'a') || at < t.end && at >= t.start+maxTableHead {
		return
	}
	start, _ := sc.lines.begin(text, at)
	if at < t.end && start != t.start || at-start > maxTableHead {
		return
	}
	end := sc.lineEnds.next(findLineEnd, text, at)
	if end == len(text) || end-at >= maxTableHead {
		return
	}
	if det == detCredential && (sc.v.label != ViewRaw || !tableHead(text[start:end]) || rowAbove(text, start, end)) {
		return
	}
	if start != t.start || t.end == 0 {
		*t = tableMemo{start: start, end: end}
	}
	if t.columns++; t.columns > maxColumns {
		return
	}
	mark := columnMark(text[start:end], at-start)
	if mark == 0 {
		t.columns = maxColumns // no first line of a table
		return
	}
	column := strings.Count(text[start:at], string(mark))
	i := end + 1
	for i < len(text) {
		end := i + strings.IndexByte(text[i:], '\n')
		if end < i {
			end = len(text)
		}
		next, ok := sc.row(i, end, mark, column, det, cell)
		if !ok {
			break
		}
		i = next
	}
	t.end = max(t.end, min(i, len(text)))
}

// tableHead reports whether a line is made of the names of columns: a few words each, nothing that programs put around words, and
// no comma at its end, as behind the arguments of a call.
func tableHead(line string) bool {
	words, cell := 0, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case strings.IndexByte(columnMarks, c) >= 0:
			words, cell = 0, 0
		case c == ' ':
			if cell > 0 && line[i-1] != ' ' {
				words++
			}
		case c == '"' || c == '\'' || c == '\r':
		case isAlnum(c) || c == '_' || c == '-' || c == '.' || c >= 0x80:
			if cell++; cell > maxHeadCell || words >= maxHeadWords {
				return false
			}
		default:
			return false
		}
	}
	return cell > 0 || !strings.HasSuffix(strings.TrimRight(line, " \r"), ",")
}

// rowAbove reports whether the line above text[start:end] has as many columns, so that this one is a row as well: a list of packages
// names passwd too.
func rowAbove(text string, start, end int) bool {
	if start == 0 {
		return false
	}
	above := text[max(0, start-1-maxTableHead) : start-1]
	above = above[strings.LastIndexByte(above, '\n')+1:]
	i := strings.IndexAny(text[start:end], columnMarks)
	if i < 0 {
		return false
	}
	mark := text[start+i : start+i+1]
	return strings.Count(above, mark) == strings.Count(text[start:end], mark)
}

// Bounds of the name of a column: its letters and its words.
const (
	maxHeadCell  = 32
	maxHeadWords = 4
)

var findLineEnd = finding("\n")

// columnMark returns what separates the columns of a first line: the mark behind the name at byte at of it, or else before; 0
// for none.
func columnMark(head string, at int) byte {
	i := strings.IndexAny(head[at:], columnMarks)
	if i >= 0 {
		return head[at+i]
	}
	if i = strings.LastIndexAny(head[:at], columnMarks); i >= 0 {
		return head[i]
	}
	return 0
}

const columnMarks = "\t|;,"

// row looks at one cell of the line text[start:end] and returns where the next begins. ok is false where the table is over.
func (sc *scan) row(start, end int, mark byte, column int, det *detector, cell cellFunc) (next int, ok bool) {
	text := sc.text
	i := start
	for ; column > 0; column-- {
		if i = cellEnd(text, i, end, mark) + 1; i > end {
			return end + 1, false
		}
	}
	stop := cellEnd(text, i, end, mark)
	if start == end || i == start && stop == end {
		return end + 1, false // no row of a table
	}
	if det == detCredential && i < stop && text[i] == '"' {
		if n := strings.IndexByte(text[i+1:end], '"'); n > 0 {
			stop = i + 1 + n // which has the marks between columns too
		}
	}
	for i < stop && (text[i] == ' ' || text[i] == '"' || text[i] == '\'') {
		i++
	}
	for stop > i && (text[stop-1] == ' ' || text[stop-1] == '"' || text[stop-1] == '\'' || text[stop-1] == '\r') {
		stop--
	}
	if n := stop - i; n > 0 && n <= maxCell {
		if n := cell(text[i:stop]); n > 0 {
			sc.add(det, i, i+n)
		}
	}
	return end + 1, true
}

// cellEnd returns where the cell that begins at byte i of a line ends: at the next mark, or with the line. In Markdown a mark behind a
// backslash is part of the cell.
func cellEnd(text string, i, end int, mark byte) int {
	for ; i < end && text[i] != mark; i++ {
		if mark == '|' && text[i] == '\\' && i+1 < end && text[i+1] == mark {
			i++
		}
	}
	return i
}

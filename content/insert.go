package content

import "strings"

// A statement that inserts rows names their columns once: INSERT INTO users (login, password) VALUES ('kim', 'x'), ('bob', 'y').

// Bounds of such a statement, in bytes: the names before the rows, and the rows.
const (
	maxInsertHead = 1024
	maxInsertRows = 64 << 10
)

// insertMemo remembers the names of the last statement, since one follows the other with the same.
type insertMemo struct {
	names string
	kinds [maxColumns]credential // of the columns
	any   bool                   // whether one of them is a credential
	to    int                    // the end of the rows that were read
}

// inserted looks at what a statement puts under the names of credentials. Behind byte at stands the name of the table.
func (sc *scan) inserted(at int) {
	text, m := sc.text, &sc.inserts
	head := text[at:min(len(text), at+maxInsertHead)]
	open := strings.IndexByte(head, '(')
	if open < 0 || at < m.to {
		return
	}
	n := strings.IndexByte(head[open:], ')')
	if n < 0 {
		return
	}
	rows := skip(text, at+open+n+1, skipSpace)
	if !hasFoldPrefix(text[rows:], "values") {
		return
	}
	if names := head[open+1 : open+n]; names != m.names {
		m.read(names)
	}
	if m.any {
		m.to = sc.insertedRows(rows+len("values"), m.kinds[:])
	}
}

// read finds out which columns are those of credentials.
func (m *insertMemo) read(names string) {
	*m = insertMemo{names: names, to: m.to}
	for n := 0; n < maxColumns && names != ""; n++ {
		var name string
		name, names, _ = strings.Cut(names, ",")
		m.kinds[n] = variableKind(strings.Trim(name, " \t\r\n`\"[]"))
		m.any = m.any || m.kinds[n] != credentialNone
	}
}

// insertedRows looks at the values of rows from byte at on and returns where they end.
func (sc *scan) insertedRows(at int, kinds []credential) int {
	text := sc.text
	limit := min(len(text), at+maxInsertRows)
	column := -1 // outside of a row
	for i := at; i < limit; i++ {
		switch c := text[i]; {
		case c == '(' && column < 0:
			column = 0
		case c == ')' && column >= 0:
			column = -1
		case c == ',' && column >= 0:
			column++
		case c == '\'':
			n := literalLen(text[i+1:limit], c)
			if n < 0 {
				return limit
			}
			v := text[i+1 : i+1+n]
			if column >= 0 && column < len(kinds) && len(v) <= maxCredential && literalSecret(v, kinds[column]) {
				sc.add(detCredential, i+1, i+1+n)
			}
			i += n + 1
		case c == ';' && column < 0:
			return i
		}
	}
	return limit
}

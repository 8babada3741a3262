package content

// String is one JSON string of a document: a member name or a value.
type String struct {
	// Text is the decoded text.
	Text string
	// Start and End span the token including its quotes, in bytes of [Document.Raw], or of the decoded text
	// of the string Host when that is not negative.
	Start, End int
	// Key is true for a member name.
	Key bool
	// Role is what the string is to its reader; RoleOther until [Document.Assign].
	Role Role
	// Host is the index of the string whose text is the JSON document this string was found in, else -1.
	Host int

	container int32 // index into Document.containers, -1 at the top of a document
	name      int32 // index of the member name, -1 for an element and for names themselves
	element   int32 // index in the array, -1 otherwise
	layer     uint8 // embedded documents around this string
	open      bool  // the text is an embedded document whose strings were added
}

// container is an object or array with at least one string somewhere inside; others are not recorded, so that
// a payload of numbers costs nothing.
type container struct {
	parent     int32 // index into containers, -1 at the top
	name       int32 // index of the member name string, -1 for an element
	element    int32
	host       int32
	start, end int // span in the bytes that the string spans of the same host refer to
	object     bool
}

// number is a JSON number whose member name says that it may be personal data.
type number struct {
	name       int32 // string index of the member name
	start, end int
}

// Document is a parsed body. It does not change after Assign and is then safe for concurrent readers.
type Document struct {
	raw        string
	body       []byte
	limits     Limits
	strings    []String
	containers []container
	numbers    []number
	rows       []numberRow
	contexts   []place // by container, after Assign
	toolOf     []int32 // by container: index in tools[], -1 outside
	mimeTypes  []int32 // by container: one more than the string that is its mimeType, 0 for none; nil where there is none at all
	method     string
	side       Side
	tools      []ToolDef
	// What becomes of it where something blocks, see RefuseBlocked.
	refuses, refusesTools bool

	top byte // first byte of the top-level value: { [ " t f n - or a digit
}

// Raw returns the received bytes. They are shared: do not modify.
func (d *Document) Raw() []byte { return d.body }

// Strings returns every string, in document order; the strings of embedded documents follow after those of
// the body. The slice is shared: do not modify.
func (d *Document) Strings() []String { return d.strings }

// HandedBack reports whether string i is a value of the protocol that the other side gets back unread, such as
// a cursor, or lies in a document in one: masking it would break the protocol and hide nothing from anyone.
func (d *Document) HandedBack(i int) bool {
	if i < 0 || i >= len(d.strings) {
		return false
	}
	for d.strings[i].Host >= 0 {
		i = d.strings[i].Host
	}
	s := &d.strings[i]
	if s.Key || s.name < 0 {
		return false
	}
	switch d.strings[s.name].Text {
	case "nextCursor", "cursor", "requestState":
		return d.containers[s.container].parent < 0
	case "progressToken":
		return d.contexts[s.container] == ctxMeta
	}
	return false
}

// Member returns the text of the string member that the names lead to from the top of the body, names
// compared byte for byte.
func (d *Document) Member(names ...string) (text string, ok bool) {
	if len(names) == 0 {
		return "", false
	}
	for i := range d.strings {
		s := &d.strings[i]
		if s.Key || s.Host >= 0 || s.name < 0 || d.strings[s.name].Text != names[len(names)-1] {
			continue
		}
		if d.pathIs(s.container, names[:len(names)-1]) {
			return s.Text, true
		}
	}
	return "", false
}

// pathIs reports whether container c is reached from the top of its document by exactly these member names.
func (d *Document) pathIs(c int32, names []string) bool {
	for j := len(names) - 1; j >= 0; j-- {
		if c < 0 || d.containers[c].name < 0 || d.strings[d.containers[c].name].Text != names[j] {
			return false
		}
		c = d.containers[c].parent
	}
	return c >= 0 && d.containers[c].parent < 0 && d.containers[c].name < 0 && d.containers[c].element < 0
}

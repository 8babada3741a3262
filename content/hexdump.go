package content

import "strings"

// dumpKeywords open the dumps of bytes that xxd, hexdump and tcpdump print: lines of an offset, of bytes in hexadecimal and of
// the same bytes as characters.
func dumpKeywords() []keyword {
	return []keyword{
		{text: "00000000", look: func(sc *scan, at int) { sc.hexDump(at, at+len("00000000")) }},
		{text: "0x0000:", look: func(sc *scan, at int) { sc.hexDump(at, at+len("0x0000")) }},
	}
}

// dumpLine is how many bytes a line of a dump stands for at most.
const dumpLine = 32

// hexDump notes where a dump begins whose first offset is text[at:end], and where it ends.
func (sc *scan) hexDump(at, end int) {
	text := sc.text
	if at > 0 && isAlnum(text[at-1]) || end == len(text) || text[end] != ':' && text[end] != ' ' {
		return
	}
	if n := len(sc.dumps); n > 0 && at < sc.dumps[n-1].End {
		return
	}
	stop, bytes := at, 0
	for i := at; i < len(text); {
		var room [dumpLine]byte
		line, next := dumpedLine(text, i, room[:0])
		if len(line) == 0 {
			break
		}
		bytes += len(line)
		stop, i = next, next
		if i < len(text) {
			i++ // its end
		}
	}
	if bytes >= minCodes {
		sc.dumps = append(sc.dumps, Range{at, stop})
	}
}

// dumpedLine appends the bytes of the line of a dump that begins at byte i to b, which is empty, and returns where the line
// ends.
func dumpedLine(text string, i int, b []byte) (line []byte, end int) {
	end = i + strings.IndexByte(text[i:min(len(text), i+maxDumpLine)], '\n')
	if end < i {
		end = len(text)
		if end-i > maxDumpLine {
			return nil, i
		}
	}
	for i < end && (text[i] == ' ' || text[i] == '\t' || text[i] == '|') {
		i++
	}
	start := i
	if strings.HasPrefix(text[i:end], "0x") {
		i += len("0x")
	}
	i = extent(text[:end], i, maxDumpOffset, setAnyHex)
	if i-start < 4 || i == end {
		return nil, end
	}
	colon := text[i] == ':'
	if i += boolInt(colon); i == end || text[i] != ' ' {
		return nil, end
	}
	for len(b) < dumpLine {
		gap := i
		for i < end && text[i] == ' ' {
			i++
		}
		if colon && len(b) > 0 && i-gap > 1 || i-gap > 2 && len(b) > 0 {
			break // of the bytes; the characters follow
		}
		group := extent(text[:end], i, 8, setAnyHex)
		if n := group - i; n == 0 || n%2 != 0 || group < end && text[group] != ' ' && text[group] != '\r' || len(b)+n/2 > dumpLine {
			break
		}
		b = appendHex(b, text[i:group])
		i = group
	}
	return b, end
}

// maxDumpLine is the longest line of a dump, and maxDumpOffset the longest offset, in bytes.
const (
	maxDumpLine   = 192
	maxDumpOffset = 16
)

// dumpViews queues what the dumps of v show.
func (sc *scan) dumpViews(v *view) {
	for _, r := range sc.dumps {
		if v.layer >= maxLayers || r.End-r.Start > sc.budget {
			sc.incomplete(v, r.Start, r.End)
			return
		}
		b := sc.long[:0]
		for i := r.Start; i < r.End; {
			var room [dumpLine]byte
			line, end := dumpedLine(v.text, i, room[:0])
			b, i = append(b, line...), end+1
		}
		sc.long = b
		if worth(b) {
			sc.plainView(v, r.Start, r.End, b)
		}
	}
	sc.unfold(v)
}

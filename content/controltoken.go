package content

import "strings"

// controlNames are the names of control tokens that no text has but the templates of chats, without what may be put
// between their words. Those of one common word are known only in the full form, with both of its marks.
var controlNames = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("imstart imend imsep eotid eomid startheaderid endheaderid headerstart headerend beginoftext endoftext endofprompt pythontag startofturn endofturn startofturntoken endofturntoken systemtoken usertoken chatbottoken " +
		"startofrole endofrole beginofsentence endofsentence toolcallsbegin toolcallsend toolcallbegin toolcallend tooloutputsbegin tooloutputsend tooloutputbegin tooloutputend toolsep toolcalls toolresponse toolresults " +
		"fimprefix fimmiddle fimsuffix fimbegin fimhole fimend fimpad visionstart visionend visionpad imagepad videopad objectrefstart objectrefend boxstart boxend reponame filesep endofutterance startofimage endofimage " +
		"startoftext startofsystem endofsystem startofuser endofuser systemprompt startthinking endthinking startaction endaction startresponse endresponse starttoolresult endtoolresult imsystem imuser imassistant immiddle toolcallssectionbegin toolcallssectionend toolcallargumentbegin startoftoolcall hyuser hyassistant hybeginofsentence sysstart sysend reservedspecialtoken unusedtoken") {
		m[w] = true
	}
	for w := range strings.FieldsSeq("system user assistant human ai bot end start channel message return call constrain tool prompter observation ipython turn think answer developer environment") {
		m[w] = false
	}
	return m
}()

// controlPieces are the words that such a name begins with where it is not written in full: <im_start>, [im start].
var controlPieces = [...]string{"im_start", "im_end", "im_sep", "im start", "im end", "im-start", "im-end", "imstart", "imend", "eot_id", "eom_id", "start_header", "end_header", "start header", "header_start", "header_end", "start_of_turn", "end_of_turn", "start of turn", "begin_of_text", "end_of_text",
	"begin_of_sentence", "end_of_sentence", "begin▁of▁sentence", "end▁of▁sentence", "tool▁call", "tool▁output", "fim_prefix", "fim_suffix", "fim_middle", "endofprompt", "inst ", "sys ", "/inst ", "/sys "}

func controlKeywords() []keyword {
	var k []keyword
	for _, open := range [...]string{"<∣", "<‖", "⟨|"} {
		k = append(k, keyword{text: open, look: func(sc *scan, at int) { sc.controlToken(at, at+len(open)) }})
	}
	for _, p := range controlPieces {
		k = append(k, keyword{text: p, look: func(sc *scan, at int) { sc.controlPiece(at, at+len(p)) }})
	}
	return k
}

// controlOpens returns the length of the opening mark of a control token at byte i, which is <; 0 when it is none.
func controlOpens(text string, i int) int {
	n := 1
	for n < maxControlGap && i+n < len(text) && text[i+n] == ' ' {
		n++
	}
	switch rest := text[i+n:]; {
	case strings.HasPrefix(rest, "||"), strings.HasPrefix(rest, "¦"):
		return n + 2
	case rest != "" && rest[0] == '|':
		return n + 1
	}
	return 0
}

// Bounds of a control token, in bytes: its name, and what may stand between that and its marks.
const (
	maxControl    = 40
	maxControlGap = 4
)

// controlToken looks for a control token whose opening mark begins at byte at and ends before byte i.
func (sc *scan) controlToken(at, i int) {
	if sc.full(detMarker) {
		return
	}
	text := sc.text
	var name [maxControl]byte
	n := 0
	for limit := min(len(text), i+maxControl); i < limit && controlTokenByte[text[i]] && (text[i] != lowLine[0] || strings.HasPrefix(text[i:], lowLine)); i++ {
		if isAlnum(text[i]) {
			name[n] = foldTable[text[i]]
			n++
		}
	}
	for n > 0 && isDigit(name[n-1]) {
		n--
	}
	sure, known := controlNames[string(name[:n])]
	if !known {
		return
	}
	switch end := closingMark(text, i); {
	case end > 0 && (sure || text[end-1] != '|'):
		sc.marker(at, end)
	case i < len(text) && text[i] == '>', sure && (i == len(text) || text[i] == '\n'):
		// Its closing mark is left out, or cut off.
		sc.marker(at, i)
	}
}

// lowLine stands for a space in some templates.
const lowLine = "▁"

// controlTokenByte are what the name of a control token is written with.
var controlTokenByte = newCharset(lowerLetters + upperLetters + digitChars + " \t_-/" + lowLine)

// closingMark returns where the mark ends that closes a control token at byte i, -1 for none.
func closingMark(text string, i int) int {
	for _, m := range [...]string{"|>", "| >", "||>", "¦>", "∣>", "‖>", "|⟩", "|"} {
		if strings.HasPrefix(text[i:], m) {
			return i + len(m)
		}
	}
	return -1
}

// turnRoles are whose turn begins behind a control token.
var turnRoles = [...]string{"system", "user", "assistant", "model", "developer"}

// controlPiece looks for the name of a control token in other marks than its own.
func (sc *scan) controlPiece(at, end int) {
	text := sc.text
	if sc.full(detMarker) {
		return
	}
	start, open, piped := at, byte(0), false
	for n := 0; start > 0 && n < maxControlGap && open == 0; n++ {
		start--
		switch c := text[start]; c {
		case '|':
			piped = true
		case ' ', '\t', '/':
		case '<', '[', '{':
			open = c
		default:
			return
		}
	}
	if open == 0 {
		return
	}
	for end < len(text) && (isAlnum(text[end]) || text[end] == '_') {
		end++
	}
	for n := 0; end < len(text) && n < maxControlGap && (text[end] == ' ' || text[end] == '\t' || text[end] == '|'); n++ {
		piped = piped || text[end] == '|'
		end++
	}
	if end == len(text) || strings.IndexByte(">]}", text[end]) < 0 {
		return
	}
	// Without the mark that nothing else has, it is one where a turn begins with it, or where its name stands apart in
	// the brackets that others write it in.
	bracketed := text[end-1] == ' ' && (open == '[' && hasFoldPrefix(text[at:], "inst") || start > 0 && text[start-1] == '<' && hasFoldPrefix(text[at:], "sys"))
	if !piped && !bracketed && oneOf(strings.TrimLeft(text[end+1:min(len(text), end+maxControl)], " \n"), turnRoles[:]) == 0 {
		return
	}
	sc.marker(start, end+1)
}

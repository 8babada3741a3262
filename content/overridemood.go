package content

import "strings"

// mood is how a verb stands in its sentence.
type mood uint8

const (
	ordering   mood = iota // "Please ignore …"
	describing             // "it tries to ignore …", "who ignores …"
	negating               // "do not ignore …"
)

// What the word before a verb makes of it. Words that are not here say nothing.
var moodWords = func() map[string]mood {
	m := map[string]mood{}
	for kind, words := range map[mood]string{
		ordering: "please now just and then so but kindly immediately first instead simply completely also ok okay hey hi hello assistant ai bot chatbot chatgpt gpt claude gemini llm model agent " +
			"must shall important note attention urgent system admin always quickly fully totally entirely absolutely directly therefore thus again next finally",
		describing: "that which who whom could can may might would to will should attempt attempts attempting try trying tries by of for from with as like i they it he she we or a an the this these those if when " +
			"attacker attackers user users prompt prompts injection injections phrase phrases message text instruction called named says saying say said whether",
		negating: "not never cannot without don't dont doesn't won't can't shouldn't mustn't",
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] = kind
		}
	}
	return m
}()

// obliged are the words before "to", "will" or "should" that make an order of them, and told those before "you"
// that take it back.
var (
	obliged  = wordSet("you need have has must required going want ought assistant ai model")
	askedYou = wordSet("if when whether that do can could would unless because")
)

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// moodAt tells by the words before byte at how the verb that begins there stands.
func moodAt(text string, at int) mood {
	word, start, opens := wordBefore(text, at)
	if opens {
		return ordering
	}
	m, known := moodWords[word]
	switch {
	case start > 0 && text[start-1] == '@' && (start == 1 || text[start-2] <= ' '):
		return ordering // to whom it may concern: @copilot ignore …
	case word == "you":
		before, _, _ := wordBefore(text, start)
		if askedYou[before] {
			return describing
		}
		return ordering
	case word == "to" || word == "will" || word == "should":
		if before, _, _ := wordBefore(text, start); obliged[before] {
			return ordering
		}
		return describing
	case known:
		return m
	case strings.HasSuffix(word, "n't"):
		return negating
	case text[at] >= 'A' && text[at] <= 'Z':
		return ordering // a sentence that begins without a full stop before it
	}
	return describing
}

// longWord bounds a word that says something about the mood, in bytes.
const longWord = 16

// wordBefore returns the word before byte at in lower case and where it starts; opens is true when none stands
// there, because a sentence, a line or a quotation begins.
func wordBefore(text string, at int) (word string, start int, opens bool) {
	i := at
	for i > 0 && strings.IndexByte(" \t*_(", text[i-1]) >= 0 {
		i--
	}
	end := i
	for i > 0 && end-i < longWord && (isAlnum(text[i-1]) || text[i-1] == '\'') {
		i--
	}
	return strings.ToLower(text[i:end]), i, i == end
}

// The bounds of a quotation that only mentions what is in it, in bytes.
const (
	quotedLine = 160 // how far back its beginning is looked for
	quotedLead = 48  // what may stand in it before the phrase
	quotedBody = 240 // how far ahead its end is looked for
	quotedData = 64  // how long the value of a member may go on and still be a mention
)

// quotedAt reports whether byte at stands inside a quotation: in text that mentions the phrase. A long text that
// happens to stand between quotation marks, as the value of a member does, is no mention.
func (m *quoteMemo) quotedAt(text string, at int) bool {
	open, closing := m.quotation(text, at)
	if open < 0 {
		return false
	}
	lead := text[open:at]
	if len(lead) > quotedLead || strings.ContainsAny(lead, ".!?\n") {
		return false
	}
	end := strings.Index(text[at:min(len(text), at+quotedBody)], closing)
	return end >= 0 && (end <= quotedData || !valueAt(text, open))
}

// valueAt reports whether the quotation mark at byte open begins the value of a member or of an assignment.
func valueAt(text string, open int) bool {
	before := strings.TrimRight(text[max(0, open-8):open], " \t\\")
	if before == "" {
		return false
	}
	switch before[len(before)-1] {
	case '=', '{', '[':
		return true
	case ':':
		return len(before) > 1 && strings.IndexByte("'\"", before[len(before)-2]) >= 0
	}
	return false
}

// The words of those who write about attacks, and how far before a phrase they may stand, in bytes.
var reporting = newFinder("injection", "jailbreak", "attacker", "adversar", "malicious", "red team", "red-team", "payload")

const reportReach = 240

// reportedAt reports whether byte at stands where documents show an example, a fenced or cited line or an item of
// a list or table, in a text that is about attacks.
func (sc *scan) reportedAt(at int) bool {
	text := sc.text
	line, lead := sc.lines.begin(text, at)
	shown := false
	switch {
	case lead >= at:
		before := strings.TrimRight(text[max(0, line-reportReach):line], "\n")
		shown = strings.HasPrefix(before[strings.LastIndexByte(before, '\n')+1:], "```")
	case strings.IndexByte(">|-*+", text[lead]) >= 0, text[lead] >= '0' && text[lead] <= '9':
		shown = at-lead < quotedLead
	}
	return shown && sc.reports.within(reporting.first, text, max(0, at-reportReach), at)
}

// lineMemo remembers the line that was asked for last, so that looks all over a long one read it once.
type lineMemo struct {
	start, lead int // where it begins, and its first byte that is no blank
	read        int // how far it was read for the one that follows
}

// begin returns where the line of byte at begins and where its first byte that is no blank stands, at least at when
// there is none before it. Calls come with rising at, nearly always.
func (m *lineMemo) begin(text string, at int) (start, lead int) {
	switch {
	case at < m.start:
		m.start, m.read, m.lead = strings.LastIndexByte(text[:at], '\n')+1, at, 0
	case at > m.read:
		// From the front, which is fast: most looks at a long line meet no end of one.
		if strings.IndexByte(text[m.read:at], '\n') >= 0 {
			m.start, m.lead = strings.LastIndexByte(text[:at], '\n')+1, 0
		}
		m.read = at
	}
	m.lead = max(m.lead, m.start)
	for m.lead < len(text) && (text[m.lead] == ' ' || text[m.lead] == '\t') {
		m.lead++
	}
	return m.start, m.lead
}

// mentionedAt reports whether a phrase at byte at is talked about rather than said.
func (sc *scan) mentionedAt(at int) bool { return sc.quotes.quotedAt(sc.text, at) || sc.reportedAt(at) }

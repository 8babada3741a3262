package content

import "strings"

// overrideVerbs set aside what comes after them by their meaning alone.
var overrideVerbs = [...]string{"ignore", "disregard", "forget", "override", "ignoring", "disregarding", "neglect"}

// settingAside are the phrases that mean the same of instructions and much else besides: what they are about must
// be said in full. Those that end in a space are words of their own.
var settingAside = [...]string{
	"pay no attention to", "do not follow", "don't follow", "do not obey", "don't obey", "stop following", "stop obeying", "no longer follow", "no longer obey",
	"discard ", "abandon ", "erase ", "unlearn ", "scrap ", "set aside", "put aside", "throw away", "throw out", "let go of", "dismiss ", "cancel ", "skip ", "bypass ", "overlook ", "drop ", "break free from",
}

func overrideKeywords() []keyword {
	var k []keyword
	for _, verb := range overrideVerbs {
		k = append(k, keyword{text: verb, look: func(sc *scan, at int) {
			end := at + len(verb)
			switch {
			case end == len(sc.text):
				sc.beginsOrder()
			case !isAlnum(sc.text[end]):
				sc.override(at, end)
			case sc.v.label == ViewCollapsed:
				sc.gapless(at, end)
			default:
				sc.runOn(at, end)
			}
		}})
	}
	for _, phrase := range settingAside {
		k = append(k, keyword{text: phrase, look: func(sc *scan, at int) { sc.setAside(at, at+len(phrase)) }})
	}
	for _, phrase := range lapses {
		k = append(k, keyword{text: phrase, look: func(sc *scan, at int) { sc.lapsed(at, at+len(phrase)) }})
	}
	k = append(k, takeoverKeywords()...)
	k = append(k, extractionKeywords()...)
	return append(append(k, addressKeywords()...), consentKeywords()...)
}

// gapless looks for the phrase among letters that were set apart evenly, which come out without the gaps between
// words.
func (sc *scan) gapless(at, end int) {
	if sc.full(detOverride) {
		return
	}
	for range 4 {
		n := oneOf(sc.text[end:], gaplessFill[:])
		if end += n; n == 0 {
			break
		}
	}
	if n := oneOf(sc.text[end:], gaplessThings[:]); n > 0 {
		sc.review(detOverride, at, end+n, Block)
	}
}

var (
	gaplessFill   = [...]string{"all", "any", "the", "your", "my", "of"}
	gaplessThings = [...]string{"previous", "prior", "above", "earlier", "preceding", "instructions", "systemprompt", "rules"}
)

// oneOf returns the length of the first of the words that s starts with, ASCII case ignored, 0 when it is none.
func oneOf(s string, words []string) int {
	if s == "" {
		return 0
	}
	c := foldTable[s[0]]
	for _, w := range words {
		if w[0] == c && hasFoldPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

// overrideWord is what a word after the verb may be.
type overrideWord uint8

const (
	overrideOther overrideWord = iota
	overrideFill               // stands between the verb and what it is to be done to
	overrideAll                // takes in everything
	overrideYours              // says whose it is
	overridePast               // says that it was given before
	overrideState              // says that it is there, as settings are too
	overrideThing              // means instructions
	overrideLoose              // means instructions, and other things too
	overrideTask               // means what a model was asked to do, and much else
	overrideWho                // begins a clause: "everything you …"
	overrideTold               // ends it: "… were told"
)

var overrideVocabulary = func() map[string]overrideWord {
	m := map[string]overrideWord{}
	for kind, words := range map[overrideWord]string{
		overrideFill:  "the of my our these those and or other completely that this each both about such in from with to just ve re",
		overrideAll:   "all any every everything anything what whatever",
		overrideYours: "your",
		overridePast:  "previous prior above earlier preceding foregoing previously past former before",
		overrideState: "existing initial original system given developer safety current",
		overrideThing: "instructions instruction prompt prompts directives directive programming guidelines guardrails",
		overrideLoose: "directions rules commands orders constraints context restrictions policies training",
		overrideTask:  "task tasks assignment assignments goal goals objective objectives mission job role conversation requests criteria",
		overrideWho:   "you i we they was were is are has have had been being",
		overrideTold:  "told instructed asked ordered said",
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] = kind
		}
	}
	return m
}()

// overrideTable is the vocabulary for texts that are made of it.
var overrideTable = newWordTable(overrideVocabulary)

// overrideShapes are the lengths of the words of the vocabulary that begin with a letter, a bit for each. Nearly every word that
// is none of them is told by it.
var overrideShapes = func() (t [32]uint32) {
	for w := range overrideVocabulary {
		t[w[0]&0x1f] |= 1 << len(w)
	}
	return t
}()

// again are the verbs that begin another order.
var again = [...]string{"ignore", "disregard", "forget"}

// overrideWords bounds the phrase, in words after the verb.
const overrideWords = 9

// phrase is what stands after a verb that sets something aside.
type phrase struct {
	stop        int // its end
	all, yours  bool
	past, state bool
	told        bool         // what someone was told, with no name for it
	above       bool         // it is past by what stands behind it: "the instructions above"
	open        bool         // the text ended before it did
	thing       overrideWord // what it is about, overrideOther for nothing that matters
}

// whole reports whether the phrase speaks of instructions that were given before.
func (p *phrase) whole() bool {
	return (p.past || p.state) && (p.thing == overrideThing || p.thing == overrideLoose)
}

// certain reports whether a whole phrase means a model's instructions and no settings of a program, whose rules
// and prompts are overridden, and whose constraints are ignored, every day.
func (p *phrase) certain(plainly bool) bool {
	return p.past || p.yours || p.thing == overrideThing && (p.all || plainly)
}

// override looks for the phrase that sets earlier instructions aside: a verb, something said before, and a
// word for instructions. An order blocks. One that is quoted or told about is a review, because people write about
// it, except where no one does: in the definition of a tool and in server instructions. Behind an encoding it is an
// attack.
func (sc *scan) override(at, end int) {
	if at > 0 && isAlnum(sc.text[at-1]) || sc.full(detOverride) {
		return
	}
	p := overridden(sc.text, end)
	if p.thing == overrideOther && !p.told {
		if p.open {
			sc.beginsOrder()
		}
		if n := usersWish(sc.text, end); n > 0 && moodAt(sc.text, at) == ordering && !sc.mentionedAt(at) {
			sc.review(detOverride, at, end+n, Review)
			return
		}
		if n := aboveAnd(sc.text, end); n > 0 && !sc.enough(detOverride, Review) && moodAt(sc.text, at) == ordering && !sc.mentionedAt(at) {
			sc.review(detOverride, at, end+n, Review)
			return
		}
		sc.markedFrom(end)
		return
	}
	mood := moodAt(sc.text, at)
	if mood == negating || searchedFor(sc.text, at, end, p.stop) {
		return
	}
	verb := sc.text[at] | 0x20
	plainly := verb != 'o' && verb != 'n' && !sc.definitional()
	said := mood == ordering && !sc.mentionedAt(at)
	switch {
	case p.whole() && sc.text[end] == '_' && !p.past && !p.yours && !p.all:
		// The name of a setting: override_system_prompt.
	case p.whole():
		sev := Review
		if p.certain(plainly) && (said || sc.encoded() || sc.definitional()) && !(p.above && !insteadBehind(sc.text, p.stop)) && (p.all || p.yours || !ofOthers(sc.text, p.stop)) {
			sev = Block
		}
		sc.review(detOverride, at, p.stop, sev)
	case !said || p.told && !p.all && hasFoldPrefix(sc.text[p.stop:], " about "):
	case verb == 'o' && p.thing == overrideThing && p.yours && calledOn(sc.text, at):
		sc.review(detOverride, at, p.stop, Block)
	case plainly && (p.thing == overrideTask && (p.all || p.yours) || p.thing == overrideThing || p.told && p.all):
		sc.review(detOverride, at, p.stop, Block)
	case plainly:
		sc.review(detOverride, at, p.stop, Review)
	}
}

// What stands above, and what a reader is to do instead that nobody asks a person for.
var (
	aboves   = [...]string{" the above and ", " all of the above and ", " all the above and ", " everything above and ", " the above, and ", " the above text and ", " everything above, and "}
	insteads = [...]string{"instead ", "reply with", "respond with", "answer with", "say ", "output ", "print ", "tell me ", "only ", "just "}
)

// aboveAnd returns the length of "the above and" behind byte i where such an order follows, 0 else.
func aboveAnd(text string, i int) int {
	n := oneOf(text[i:], aboves[:])
	if n == 0 || oneOf(text[i+n:], insteads[:]) == 0 {
		return 0
	}
	return n
}

// usersWishes are what a model is asked by its user, and conditions what makes a rule of setting it aside.
var (
	usersWishes = [...]string{"request", "question", "query", "task", "message", "prompt", "instruction", "original request", "original task", "original question"}
	conditions  = [...]string{" if ", " when ", " unless ", " for ", " in case", " to ", " about ", " and log", " and ask"}
)

// usersWish returns the length of "the user's request" behind byte i, 0 where something else follows, or a condition.
func usersWish(text string, i int) int {
	rest := text[i:]
	for _, user := range [...]string{" the user's ", " the user’s ", " the users ", " the user ", " this user's ", " your user's ", " what the user "} {
		if !hasFoldPrefix(rest, user) {
			continue
		}
		n := len(user)
		if user == " what the user " {
			if n += oneOf(rest[n:], askedWords[:]); n == len(user) {
				return 0
			}
		} else {
			m := oneOf(rest[n:], usersWishes[:])
			if m == 0 {
				return 0
			}
			n += m
		}
		for n < len(rest) && isLetter(rest[n]) {
			n++
		}
		if oneOf(rest[n:], conditions[:]) > 0 {
			return 0
		}
		return n
	}
	return 0
}

var askedWords = [...]string{"asked", "wants", "wanted", "requested", "said", "told"}

// encoded reports whether the current text had to be decoded or put together: nobody quotes like that.
func (sc *scan) encoded() bool {
	switch sc.v.label {
	case ViewRaw, ViewJoined, ViewNormalised, ViewUnmarked:
		return false
	}
	return true
}

// setAside looks for other ways to say it, with instructions that must be someone's.
func (sc *scan) setAside(at, end int) {
	if at > 0 && isAlnum(sc.text[at-1]) || sc.full(detOverride) {
		return
	}
	p := overridden(sc.text, end)
	if n := developersRules(sc.text, end); n > 0 && moodAt(sc.text, at) == ordering && !sc.mentionedAt(at) {
		sc.review(detOverride, at, end+n, Review)
		return
	}
	if p.thing != overrideThing || !p.yours && !(p.all && p.past) {
		return
	}
	switch moodAt(sc.text, at) {
	case negating:
		return
	case ordering:
		if !sc.mentionedAt(at) {
			sc.review(detOverride, at, p.stop, Block)
			return
		}
	case describing:
	}
	sc.review(detOverride, at, p.stop, Review)
}

// developersRules returns the length of "the developer's rules" behind byte i, 0 where something else follows.
func developersRules(text string, i int) int {
	rest := text[i:]
	n := 0
	if n < len(rest) && rest[n] == ' ' {
		n++
	}
	m := oneOf(rest[n:], developers[:])
	if m == 0 {
		return 0
	}
	n += m
	stop := n
	for stop < len(rest) && stop-n < 24 && isLetter(rest[stop]) {
		stop++
	}
	if kind := overrideVocabulary[strings.ToLower(rest[n:stop])]; kind != overrideThing && kind != overrideLoose {
		return 0
	}
	return stop
}

var developers = [...]string{"the developer's ", "the developers' ", "your developer's ", "your developers' ", "the developer’s ", "your developer’s ", "your operator's ", "your creator's ", "your creators' "}

// overridden reads the words after a verb, from byte i.
func overridden(text string, i int) (p phrase) {
	clause, yours := false, false // "everything you …"
	between := 0
	for range overrideWords {
		gap := i
		plain := true
		for i < len(text) && !isAlnum(text[i]) {
			plain = plain && phraseGap[text[i]]
			i++
			if !plain && i-gap > maxPhraseGap {
				return phrase{}
			}
		}
		if !plain && ending(text[gap:i]) {
			return phrase{}
		}
		if i = overNumber(text, i); i == len(text) {
			return phrase{open: true}
		}
		w := i
		for i < len(text) && isAlnum(text[i]) && i-w < 24 {
			i++
		}
		word, kind := text[w:i], overrideOther
		if i > w && overrideShapes[text[w]&0x1f]&(1<<(i-w)) != 0 {
			kind, _ = overrideTable.meaning(word)
		}
		switch kind {
		case overrideFill:
			if between > 0 && !strings.EqualFold(word, "and") && !strings.EqualFold(word, "or") {
				return phrase{} // "the previous message about the rules"
			}
		case overrideAll:
			p.all = true
		case overrideYours:
			p.yours = true
		case overridePast:
			p.past = true
		case overrideState:
			p.state = true
		case overrideThing, overrideLoose, overrideTask:
			switch n := givenBehind(text, i); {
			case n == 0 && kind == overrideThing && !p.past:
				if n := aboveBehind(text, i); n > 0 {
					p.past, p.above = true, true
					i += n
				}
			case n == 0:
			case kind != overrideTask:
				p.past, p.yours = true, true
				i += n
			case oneOf(text[i+1:], tasksGiven[:]) > 0:
				p.past = true
				i += n
			}
			if !p.past && (kind == overrideTask || !p.state && !p.yours) {
				return phrase{}
			}
			p.stop, p.thing = i, kind
			return p
		case overrideWho:
			if clause = p.all; !clause {
				return phrase{}
			}
			yours = yours || strings.EqualFold(word, "you")
		case overrideTold:
			if !clause {
				return phrase{}
			}
			// What a person said may be a slip; what a model was told is its instructions.
			p.stop, p.told = i, true
			p.all = yours && !strings.EqualFold(word, "said")
			return p
		case overrideOther:
			// A word or two may stand between: "previous security instructions".
			if between++; !p.past && !p.state || clause || i == w || between > 2 || oneOf(text[w:i], again[:]) == i-w {
				return phrase{}
			}
		}
	}
	return phrase{}
}

// givenBehinds are what follows instructions that the reader has.
var givenBehinds = [...]string{"given to you", "you were given", "you have been given", "you've been given", "you received", "you have received", "that you were given", "that were given to you", "so far", "until now", "up to now", "up to this point", "given so far",
	"of the developer", "of your developer", "from the developer", "from your developer", "of your operator", "from your operator", "of the system prompt", "in your system prompt", "from your system prompt"}

// tasksGiven are those that may follow a task, which people set aside too.
var tasksGiven = [...]string{"given to you", "you were given", "you have been given", "you've been given", "that you were given"}

// givenBehind returns the length of such words behind byte i, 0 for none. What somebody gave them by is said of anything.
func givenBehind(text string, i int) int {
	if i == len(text) || text[i] != ' ' {
		return 0
	}
	n := oneOf(text[i+1:], givenBehinds[:])
	if n == 0 || !wordEnds(text[i+1+n:]) || hasFoldPrefix(text[i+1+n:], " by ") {
		return 0
	}
	return 1 + n
}

// phraseGap is what stands between the words of a phrase, maxPhraseGap how much of anything else, in bytes.
var phraseGap = newCharset(" \t\r\n,-_*'\"")

const maxPhraseGap = 16

// ending reports whether what stands between two words ends a sentence or a clause before the second.
func ending(gap string) bool {
	for i := 0; i < len(gap); i++ {
		switch gap[i] {
		case '.', '!', '?', ';', ':':
			if i+1 < len(gap) && gap[i+1] <= ' ' && (i == 0 || gap[i-1] != gap[i]) {
				return true
			}
		case '<', '>':
			return true
		}
	}
	return false
}

// lapses are the beginnings of the statement that instructions are over, and ends how it goes on.
var (
	lapses = [...]string{"instructions are", "instructions were", "instructions no longer", "instructions have been", "directives are", "directives no longer", "directives have been", "guidelines no longer", "prompts are", "prompt is", "programming is", "programming no longer"}
	ends   = [...]string{"no longer valid", "no longer apply", "no longer in force", "void", "null and void", "obsolete", "revoked", "cancelled", "canceled", "superseded", "suspended", "withdrawn", "overridden", "irrelevant", "apply", "applies", "valid", "replaced", "lifted", "hold"}
)

// voided are the ends that manuals do not meet, newTurns what follows them in an attack.
var (
	voided   = [...]string{"void", "null and void", "revoked", "cancelled", "canceled", "suspended", "lifted", "superseded"}
	newTurns = [...]string{"reply ", "respond ", "answer ", "output ", "you ", "your ", "only ", "now ", "from now", "do ", "follow ", "call ", "send ", "instead", "print ", "execute ", "run "}
)

// lapsedReach is how far before such a statement its subject may begin, in bytes.
const lapsedReach = 48

// lapsed looks for the sentence that declares earlier instructions to be over.
func (sc *scan) lapsed(at, end int) {
	rest := strings.TrimPrefix(strings.TrimLeft(sc.text[end:min(len(sc.text), end+24)], " "), "now ")
	rest = strings.TrimPrefix(rest, "hereby ")
	n := oneOf(rest, ends[:])
	if n == 0 || n < len(rest) && isAlnum(rest[n]) || sc.enough(detOverride, Review) {
		return
	}
	var p phrase
	i := at
	for at-i < lapsedReach && i > 0 && strings.IndexByte(" ,-", sc.text[i-1]) >= 0 {
		word, start, none := wordBefore(sc.text, i)
		if none {
			break
		}
		switch overrideVocabulary[word] {
		case overrideAll:
			p.all = true
		case overrideYours:
			p.yours = true
		case overridePast:
			p.past = true
		default:
		}
		i = start
	}
	after := strings.TrimLeft(rest[n:]+sc.text[min(len(sc.text), end+24):min(len(sc.text), end+64)], ".;:, ")
	if p.past && (p.all || p.yours || oneOf(rest, voided[:]) > 0 && oneOf(after, newTurns[:]) > 0) {
		sc.review(detOverride, i, end, Review)
	}
}

package content

import "strings"

// leetWords are the words of orders to a model, and of what they are about, that are recognised when digits and marks
// stand for some of their letters. A word that is not here stays as it is written.
var leetWords = func() map[string]string {
	m := map[string]string{}
	add := func(w string) {
		if len(w) <= maxLeet {
			m[leetKey(w)] = w
		}
	}
	for w := range overrideVocabulary {
		add(w)
	}
	for w := range asking {
		add(w)
	}
	for w := range strings.FieldsSeq("ignore ignoring disregard disregarding forget override neglect bypass obey follow do not now are am user users assistant developer mode an ai unrestricted unfiltered uncensored no rule limits " +
		"restriction filters send file files email password passwords secret secrets token key keys api admin new you're act as pretend from on jailbreak dan hidden please must") {
		add(w)
	}
	return m
}()

// leetTable is leetWords for texts that are made of them.
var leetTable = newWordTable(leetWords)

// Bounds of a word, in bytes: the longest that is looked up, and the shortest that makes a text worth it.
const (
	maxLeet     = 16
	tellingLeet = 5
)

// leetClass maps a character to the letter that it may stand for. Those that may stand for i or for l are one class.
var leetClass = func() (t [128]byte) {
	for c := range t {
		if isLetter(byte(c)) {
			t[c] = byte(c) | 0x20
		}
	}
	for to, from := range map[byte]string{'i': "l1!|", 'o': "0", 'e': "3", 'a': "4@", 's': "5$", 't': "7+", 'g': "96", 'b': "8", 'z': "2"} {
		for _, c := range []byte(from) {
			t[c] = to
		}
	}
	return t
}()

// leetKey returns a word with the class of each character.
func leetKey(w string) string {
	b := make([]byte, len(w))
	for i := range b {
		b[i] = leetClass[w[i]&0x7f]
	}
	return string(b)
}

// leetShapes are the lengths of the words that begin with two classes, a bit for each. Nearly every word that is none
// of them is told by it.
var leetShapes = func() (t [32][32]uint32) {
	for key := range leetWords {
		if len(key) > 1 {
			t[key[0]&0x1f][key[1]&0x1f] |= 1 << len(key)
		}
	}
	return t
}()

// leetLetter reports whether c may be part of such a word.
func leetLetter(c byte) bool { return c < 0x80 && leetClass[c] != 0 }

// leetWord returns the word that w stands for, "" when it is none, or has no character that stands for a letter. One that looks like another does.
func leetWord(w string) string {
	if len(w) < 2 || len(w) > maxLeet {
		return ""
	}
	if leetShapes[leetClass[w[0]&0x7f]&0x1f][leetClass[w[1]&0x7f]&0x1f]&(1<<len(w)) == 0 {
		return ""
	}
	var key [2]uint64
	stands, letter := false, false
	for i := 0; i < len(w); i++ {
		key[i>>3] |= uint64(leetClass[w[i]&0x7f]) << (i & 7 * 8)
		l := isLetter(w[i])
		letter, stands = letter || l, stands || !l || w[i] == 'l' || w[i] == 'I'
	}
	if !stands || !letter {
		return ""
	}
	return leetTable.place(key[0], key[1], len(w)).meaning
}

// leetMarks are pieces of such words in which marks stand for letters; digits are found by the survey.
var leetMarks = [...]string{"!gnor", "d!sreg", "d!$reg", "di$reg", "disreg@", "prev!ou", "previou$", "!nstruct", "!n$truct", "in$truct", "instruct!", "1n$truct", "sy$tem", "$ystem", "$y$tem", "reve@l", "pr!or", "@ssistant", "|gnore", "|nstruct", "lgnore", "lnstruct", "prevlous", "dlsreg", "dlscard"}

func leetKeywords() []keyword {
	var k []keyword
	for _, m := range leetMarks {
		k = append(k, keyword{text: m, look: func(sc *scan, at int) { sc.cipher(cipherLeet, at) }})
	}
	return k
}

// leetStep writes the word at i with its letters, or takes the text up to the next word that is written otherwise.
func leetStep(src string, i int) (int, string) {
	for n := i; n < len(src); {
		if !leetLetter(src[n]) || n > 0 && leetLetter(src[n-1]) {
			n++
			continue
		}
		end := n
		for end < len(src) && leetLetter(src[end]) {
			end++
		}
		word, stop := leetWord(src[n:end]), end
		for word == "" && stop > n+1 && strings.IndexByte("!|+", src[stop-1]) >= 0 {
			// The mark of the sentence.
			stop--
			word = leetWord(src[n:stop])
		}
		if word != "" {
			if n > i {
				return n - i, src[i:n]
			}
			return stop - n, word
		}
		n = end
	}
	return len(src) - i, src[i:]
}

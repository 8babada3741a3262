package content

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// overrideIn is the override of earlier instructions in one language: what is set aside and how, near
// each other in either order, as the language wants it.
type overrideIn struct {
	lang  string
	verbs []string // open the look
	past  []string // what came before, or all of it
	thing []string // instructions
}

// overrideLanguages holds stems in lower case, as the languages write them. The accents of a stem are there
// with and without, because people leave them out.
var overrideLanguages = []overrideIn{
	{"de", []string{"ignorier", "vergiss", "missachte", "überschreibe"}, []string{"vorherig", "bisherig", "vorig", "obig", "vorangegangen", "früher", "alle "}, []string{"anweisung", "instruktion", "anordnung", "vorgaben", "befehle"}},
	{"fr", []string{"ignore", "oublie", "néglige"}, []string{"précédent", "precedent", "antérieur", "ci-dessus", "toutes les"}, []string{"instruction", "consigne", "directive"}},
	{"es", []string{"ignora", "ignore", "olvida", "descarta"}, []string{"anterior", "previa", "previo", "de arriba", "todas las"}, []string{"instrucci", "indicacion", "órdenes", "directric"}},
	{"pt", []string{"ignore", "ignora", "esqueça", "esqueca", "desconsidere"}, []string{"anterior", "prévia", "previa", "acima", "todas as"}, []string{"instruç", "instruc", "orientaç", "comandos"}},
	{"it", []string{"ignora", "dimentica", "trascura"}, []string{"precedent", "di sopra", "tutte le"}, []string{"istruzion", "indicazion", "direttiv"}},
	{"nl", []string{"negeer", "vergeet"}, []string{"vorige", "eerdere", "voorgaande", "bovenstaande", "alle "}, []string{"instructies", "opdrachten", "aanwijzingen"}},
	{"pl", []string{"zignoruj", "ignoruj", "zapomnij"}, []string{"poprzedni", "wcześniejsz", "wszystkie", "powyższ"}, []string{"instrukcj", "polece", "wskazówk"}},
	{"tr", []string{"yoksay", "yok say", "görmezden gel", "unut"}, []string{"önceki", "yukarıdaki", "tüm "}, []string{"talimat", "yönerge", "komut"}},
	{"ru", []string{"игнорируй", "игнорировать", "забудь", "проигнорируй", "отбрось"}, []string{"предыдущ", "прежн", "выше", "все "}, []string{"инструкци", "указани", "команд", "правила"}},
	{"uk", []string{"ігноруй", "проігноруй", "забудь"}, []string{"попередн", "вище", "усі ", "всі "}, []string{"інструкці", "вказівк", "команд"}},
	{"zh", []string{"忽略", "无视", "忘记", "忽視", "無視"}, []string{"之前", "以上", "先前", "上述", "前面", "所有"}, []string{"指令", "指示", "提示词", "说明", "命令"}},
	{"ja", []string{"無視", "忘れて"}, []string{"以前", "これまで", "上記", "前の", "すべて", "全て"}, []string{"指示", "命令", "プロンプト"}},
	{"ko", []string{"무시", "잊어"}, []string{"이전", "위의", "모든", "앞의"}, []string{"지시", "명령", "프롬프트", "지침"}},
	{"ar", []string{"تجاهل", "انس "}, []string{"السابقة", "أعلاه", "جميع", "كل "}, []string{"التعليمات", "الأوامر", "الإرشادات"}},
	{"hi", []string{"अनदेखा", "नज़रअंदाज़", "भूल जा"}, []string{"पिछले", "पहले", "सभी", "उपरोक्त"}, []string{"निर्देश", "आदेश"}},
	{"vi", []string{"bỏ qua", "phớt lờ"}, []string{"trước", "ở trên", "tất cả"}, []string{"hướng dẫn", "chỉ dẫn", "chỉ thị"}},
	{"id", []string{"abaikan", "lupakan"}, []string{"sebelumnya", "di atas", "semua"}, []string{"instruksi", "perintah", "petunjuk"}},
}

// overrideThings finds whether a text speaks of instructions at all.
var overrideThings = func() *keywordIndex {
	var words []string
	for _, l := range overrideLanguages {
		for _, t := range l.thing {
			first, n := utf8.DecodeRuneInString(t)
			words = append(words, t, string(unicode.ToUpper(first))+t[n:], strings.ToUpper(t))
		}
	}
	return mustIndex(words...)
}()

// maxOverrideThing is the length of the longest word for instructions, in bytes.
var maxOverrideThing = func() int {
	n := 0
	for _, l := range overrideLanguages {
		for _, t := range l.thing {
			n = max(n, len(t)+utf8.UTFMax)
		}
	}
	return n
}()

// overrideAhead is how much more is read at once for the verbs to come, in bytes.
const overrideAhead = 512

// overrideReach is how far from the verb the other words may stand, in bytes.
const overrideReach = 96

func overrideLanguageKeywords() []keyword {
	byVerb := map[string][]*overrideIn{}
	for i := range overrideLanguages {
		l := &overrideLanguages[i]
		for _, v := range l.verbs {
			byVerb[v] = append(byVerb[v], l)
		}
	}
	var k []keyword
	for v, langs := range byVerb {
		// The index ignores the case of ASCII alone, so the others are spelled out: at the start of a sentence
		// and in capitals.
		first, n := utf8.DecodeRuneInString(v)
		spellings := []string{foldASCII(v), foldASCII(string(unicode.ToUpper(first)) + v[n:]), foldASCII(strings.ToUpper(v))}
		slices.Sort(spellings)
		for _, s := range slices.Compact(spellings) {
			k = append(k, keyword{text: s, look: func(sc *scan, at int) { sc.overrideIn(at, at+len(s), langs) }})
		}
	}
	return k
}

// overrideIn looks for the words of an override around a verb. Both must stand in its sentence.
func (sc *scan) overrideIn(at, end int, langs []*overrideIn) {
	if at < sc.verbs || sc.full(detOverride) {
		// The sentence of the verb before was read this far.
		return
	}
	lo, hi := max(0, at-overrideReach), min(len(sc.text), end+overrideReach)
	before, after := sc.text[lo:at], sc.text[end:hi]
	// What was read for a verb before, without finding anything, is not read again.
	from := max(lo, sc.thingless-maxOverrideThing)
	if from >= hi {
		return
	}
	if ahead := min(len(sc.text), hi+overrideAhead); !overrideThings.any(sc.text[from:ahead]) {
		sc.thingless = ahead
		return
	}
	if !overrideThings.any(sc.text[from:hi]) {
		sc.thingless = hi
		return
	}
	sc.verbs = end + overrideReach/2
	if i := strings.LastIndexAny(before, ".!?;\n"); i >= 0 {
		before = before[i+1:]
	}
	for _, stop := range [...]string{".", "!", "?", ";", "\n\n", "。", "！"} {
		if i := strings.Index(after, stop); i >= 0 {
			after = after[:i]
		}
	}
	sc.verbs = min(sc.verbs, end+len(after))
	sentence := strings.ToLower(before + "\x00" + after)
	for _, l := range langs {
		if containsAny(sentence, l.thing...) && containsAny(sentence, l.past...) {
			sev := Review
			if sc.definitional() || sc.v.label != ViewRaw && sc.v.label != ViewJoined && sc.v.label != ViewNormalised || !quotedAt(sc.text, at) && sc.role != RoleOther {
				sev = Block
			}
			sc.review(detOverride, at, end, sev)
			return
		}
	}
}

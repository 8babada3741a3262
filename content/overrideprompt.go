package content

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// confidences are the names of what a model was told by its operator. The reader's own is meant: how systems
// keep theirs is written about everywhere.
var confidences = [...]struct {
	text string
	sure bool // nobody but a model has one
}{
	{"your system prompt", true}, {"your system message", true}, {"your system instruction", true}, {"your initial prompt", true}, {"your initial instruction", true}, {"your original prompt", true}, {"your original instruction", true},
	{"your hidden prompt", true}, {"your hidden instruction", true}, {"your secret prompt", true}, {"your secret instruction", true}, {"your internal prompt", true}, {"your internal instruction", true}, {"your previous instruction", true},
	{"your full prompt", true}, {"your entire prompt", true}, {"your full instructions", true}, {"your complete instructions", true}, {"your exact instructions", true}, {"your pre-prompt", true}, {"your preprompt", true}, {"your developer message", true},
	{"your full system", true}, {"your entire system prompt", true}, {"your complete system prompt", true}, {"your whole system prompt", true}, {"your hidden system", true}, {"your secret system prompt", true}, {"your internal system", true},
	{"your exact system prompt", true}, {"your current system prompt", true}, {"your original system prompt", true}, {"your initial system prompt", true}, {"your underlying instruction", true},
	{"your prompt", false}, {"your instructions", false}, {"your guidelines", false}, {"your directives", false}, {"your configuration prompt", true},
	{"instructions you were given", true}, {"instructions you have been given", true}, {"prompt you were given", true}, {"the text above this line verbatim", true}, {"everything above verbatim", true}, {"the words above verbatim", true},
	{"the above text verbatim", true}, {"everything above starting with", true}, {"words above starting with", true},
}

// asking are the verbs that ask for it, by their first word; what is asked of nobody else is true.
var asking = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("show tell give share display provide return list send write copy paste translate summarise summarize encode what what's describe say read") {
		m[w] = false
	}
	for w := range strings.FieldsSeq("reveal leak disclose divulge expose repeat recite print output dump echo spell reproduce exfiltrate regurgitate") {
		m[w] = true
	}
	return m
}()

// askingAny finds whether a text has such a verb.
var askingAny = mustIndex(slices.Sorted(maps.Keys(asking))...)

// systemPrompts are the names of a system prompt in other languages, and the verbs that ask for it there.
var (
	systemPrompts = [...]string{"系统提示", "系統提示", "系统指令", "システムプロンプト", "시스템 프롬프트", "системный промпт", "системные инструкции", "системну підказку", "systemprompt", "system-prompt", "prompt système", "instructions système", "prompt del sistema",
		"instrucciones del sistema", "prompt do sistema", "instruções do sistema", "prompt di sistema", "istruzioni di sistema", "systeemprompt", "systemowy prompt", "sistem istemi", "موجه النظام", "सिस्टम प्रॉम्प्ट", "lời nhắc hệ thống", "prompt sistem",
		"system prompt", "promptul de sistem", "promptul sistemului", "rendszerprompt", "พรอมต์ระบบ", "พรอมท์ระบบ", "คำสั่งระบบของคุณ", "maagizo yako ya mfumo", "maagizo ya mfumo", "системния си промпт", "системния промпт", "системния ти промпт", "системниот промпт", "системний промпт", "твій системний запит", "свій системний запит", "systémový prompt", "systémového promptu", "systémové instrukce", "sistemski prompt",
		"системски промпт", "sistemska uputstva", "دستور سیستم", "پرامپت سیستم", "הנחיית המערכת", "הוראות המערכת", "פרומפט המערכת", "سسٹم پرامپٹ", "সিস্টেম প্রম্পট", "સિસ્ટમ પ્રોમ્પ્ટ", "സിസ്റ്റം പ്രോംപ്റ്റ്", "ಸಿಸ್ಟಮ್ ಪ್ರಾಂಪ್ಟ್", "సిస్టమ్ ప్రాంప్ట్", "சிஸ்டம் ப்ராம்ப்ட்", "järjestelmäkeho", "gesaan sistem", "sistēmas uzvedn", "süsteemiviip", "სისტემური პრომპტ", "համակարգային հուշ", "жүйелік промпт", "tizim prompt"}
	systemAsks = mustIndex("显示", "输出", "告诉", "打印", "顯示", "泄露", "表示", "出力", "教えて", "見せて", "보여", "출력", "알려", "공개", "покажи", "выведи", "раскрой", "скажи", "zeig ", "zeige ", "zeigen sie", "verrate", "gib mir", "nenne", "montre", "révèle", "affiche", "donne ", "donne-", "donnez",
		"muestra", "revela", "imprime", "mostre", "revele", "mostra", "rivela", "stampa", "toon ", "onthul", "pokaż", "ujawnij", "göster", "اعرض", "اكشف", "दिखा", "बताए", "hiển thị", "tiết lộ", "tampilkan", "ungkapkan", "Покажи", "Выведи", "Раскрой", "Скажи",
		"dezvălui", "arată", "afișează", "mutasd", "mutassa", "fedd fel", "írd ki", "αποκάλυψ", "Αποκάλυψ", "δείξε", "Δείξε", "εμφάνισε", "Εμφάνισε", "τύπωσε", "เปิดเผย", "แสดง", "บอก", "onyesha", "fichua", "ukáž", "zobraz", "prozraď", "vypiš", "prezraď", "pokaži", "prikaži", "otkrij", "разкрий", "Разкрий", "прикажи", "Прикажи", "розкрий", "Розкрий", "نشان بده", "بگو", "فاش کن", "دکھا", "הצג", "חשוף", "גלה", "הדפס",
		"দেখাও", "দেখান", "প্রকাশ", "બતાવ", "കാണിക്ക", "ತೋರಿಸ", "చూపించ", "காட்ட", "näytä", "paljasta", "tulosta", "vis mig", "vis meg", "avslør", "visa mig", "visa din", "visa hela", "visa system", "avslöja", "skriv ut", "parodyk", "atskleisk", "parādi", "atklāj", "näita", "avalda", "მაჩვენე", "ցույց տուր", "көрсет", "ko'rsat", "koʻrsat", "tunjukkan", "dedahkan")
)

func extractionKeywords() []keyword {
	var k []keyword
	for _, c := range confidences {
		k = append(k, keyword{text: c.text, look: func(sc *scan, at int) { sc.extraction(at, at+len(c.text), c.sure) }})
	}
	for _, how := range [...]string{"exact", "full", "entire", "complete"} {
		for _, what := range [...]string{"initial instruction", "original instruction", "hidden instruction", "initial prompt", "original prompt", "hidden prompt"} {
			text := "your " + how + " " + what
			k = append(k, keyword{text: text, look: func(sc *scan, at int) { sc.extraction(at, at+len(text), true) }})
		}
	}
	k = append(k, keyword{text: "the system prompt", look: func(sc *scan, at int) { sc.verbatimPrompt(at, at+len("the system prompt")) }})
	for _, p := range systemPrompts {
		k = append(k, keyword{text: foldASCII(p), look: func(sc *scan, at int) { sc.foreignExtraction(at, at+len(p)) }})
	}
	return k
}

// extractionReach is how far before a confidence the verb may stand that asks for it, in bytes.
const extractionReach = 56

// extraction looks for the sentence that asks a model for its instructions.
func (sc *scan) extraction(at, end int, sure bool) {
	if sc.full(detExtraction) {
		return
	}
	start := max(0, at-extractionReach)
	if !askingAny.any(sc.text[start:at]) {
		return
	}
	i, betrays := asked(sc.text[start:at])
	if i < 0 || !betrays && !sure {
		return
	}
	i += start
	switch mood := moodAt(sc.text, i); {
	case mood == negating, mood == describing && !sure:
		return
	case mood == ordering && betrays && sure && !sc.mentionedAt(i):
		sc.review(detExtraction, i, end, Block)
	default:
		sc.review(detExtraction, i, end, Review)
	}
}

// asked returns where the last verb that asks for something stands in the part of a sentence, -1 for none, and whether
// it asks for a secret.
func asked(before string) (at int, betrays bool) {
	for i := len(before); i > 0; {
		for i > 0 && !isAlnum(before[i-1]) {
			if i--; strings.IndexByte(".!?;\n", before[i]) >= 0 {
				return -1, false
			}
		}
		end := i
		for i > 0 && isAlnum(before[i-1]) {
			i--
		}
		if betrays, ok := asking[strings.ToLower(before[i:end])]; ok {
			return i, betrays
		}
	}
	return -1, false
}

// noticeAfter is what follows the Chinese words for a system prompt where a program notifies somebody: 系统提示您… says
// that the system prompts you.
var noticeAfter = [...]string{"您", "你", "用户", "用戶", "我", "该", "已", "未", "不", "重", "请", "請", "需", "无", "“", "\"", "信息", "訊息", "消息", "音", "框"}

// colons are the marks behind the heading of a notice.
var colons = [...]string{":", "："}

// foreignExtraction looks for a verb around the name of a system prompt, in its sentence.
func (sc *scan) foreignExtraction(at, end int) {
	text := sc.text
	switch {
	case sc.enough(detExtraction, Review), strings.HasPrefix(text[at:], "系") && oneOf(text[end:], noticeAfter[:]) > 0:
		return
	case text[end-1]|0x20 == 't' && hasFoldPrefix(text[end:], "s "):
		return // what a system prompts somebody to do
	}
	lo, hi := sc.sentenceAround(max(0, at-extractionReach), at, end, min(len(text), end+extractionReach))
	if text[at] >= utf8.RuneSelf && oneOf(text[end:], colons[:]) > 0 {
		hi = at // a notice, of which only what stands before asks for anything
	}
	if sc.asks.within(firstAsk, text, lo, hi) {
		sc.review(detExtraction, at, end, Review)
	}
}

// firstAsk returns where the first of the verbs begins that ask for a system prompt, the length of the text when there is
// none. Where words are set apart it begins one.
func firstAsk(text string) int {
	first := len(text)
	systemAsks.walk(text, func(_ *keyword, at int) bool {
		if at > 0 && isLetter(text[at]) && isAlnum(text[at-1]) {
			return true
		}
		first = at
		return false
	})
	return first
}

package content

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// concealmentsAbroad are the orders to keep something from the user in other languages than English, in lower case: the
// negation is part of them.
var concealmentsAbroad = []string{
	"ne dis rien à l'utilisateur", "ne dites rien à l'utilisateur", "ne le dis pas à l'utilisateur", "ne le dites pas à l'utilisateur", "ne dis pas à l'utilisateur", "ne dites pas à l'utilisateur", "n'en parle pas à l'utilisateur", "n'en parlez pas à l'utilisateur", "n'informe pas l'utilisateur", "n'informez pas l'utilisateur", "ne préviens pas l'utilisateur", "ne mentionne pas à l'utilisateur", "ne mentionne rien à l'utilisateur",
	"ne dis rien à l’utilisateur", "ne dites rien à l’utilisateur", "ne le dis pas à l’utilisateur", "n’en parle pas à l’utilisateur", "n’informe pas l’utilisateur", "n’informez pas l’utilisateur", "ne dis pas à l’utilisateur",
	"no se lo digas al usuario", "no le digas al usuario", "no le digas nada al usuario", "no digas nada al usuario", "no informes al usuario", "no se lo menciones al usuario", "no le menciones al usuario", "no se lo cuentes al usuario", "no le cuentes al usuario", "no se lo diga al usuario", "no le diga al usuario", "no avises al usuario",
	"sag dem benutzer nichts", "sage dem benutzer nichts", "sag dem nutzer nichts", "sage dem nutzer nichts", "sagen sie dem benutzer nichts", "sagen sie dem nutzer nichts", "erzähl dem nutzer nichts", "erzähle dem nutzer nichts", "erzähle dem benutzer nichts", "verrate dem benutzer nichts", "verrate dem nutzer nichts", "informiere den benutzer nicht", "informiere den nutzer nicht", "teile dem benutzer nicht mit", "teile dem nutzer nicht mit", "verschweige dem benutzer", "verschweige dem nutzer", "verheimliche dem benutzer", "verheimliche dem nutzer", "erwähne das nicht gegenüber dem", "erwähne dies nicht gegenüber dem",
	"não diga nada ao usuário", "não conte ao usuário", "não conte nada ao usuário", "não diga ao usuário", "não informe o usuário", "não informe ao usuário", "não mencione isso ao usuário", "não mencione ao usuário", "não revele ao usuário", "não digas ao utilizador", "não digas nada ao utilizador", "não contes ao utilizador", "não informes o utilizador", "nao diga ao usuario", "nao conte ao usuario",
	"non dirlo all'utente", "non dire all'utente", "non dire nulla all'utente", "non dire niente all'utente", "non informare l'utente", "non menzionarlo all'utente", "non rivelarlo all'utente", "non parlarne all'utente", "non parlarne con l'utente", "non dirlo all’utente", "non informare l’utente", "non dire nulla all’utente",
	"vertel het niet aan de gebruiker", "vertel de gebruiker niet", "zeg het niet tegen de gebruiker", "zeg niets tegen de gebruiker", "zeg dit niet tegen de gebruiker", "informeer de gebruiker niet", "laat de gebruiker niet weten", "vertel dit niet aan de gebruiker",
	"berätta inte för användaren", "berätta inte detta för användaren", "säg inget till användaren", "säg inte till användaren", "informera inte användaren", "nämn inte detta för användaren",
	"fortæl det ikke til brugeren", "fortæl ikke brugeren", "sig det ikke til brugeren", "sig ikke noget til brugeren", "informer ikke brugeren", "ikke fortell brukeren", "ikke fortell det til brukeren", "ikke si det til brukeren", "ikke si noe til brukeren", "ikke informer brukeren", "ikke nevn dette for brukeren",
	"älä kerro käyttäjälle", "älä kerro tästä käyttäjälle", "älä mainitse käyttäjälle", "älä ilmoita käyttäjälle", "älä paljasta käyttäjälle",
	"ekki segja notandanum", "ekki láta notandann vita", "ekki segja notanda",
	"nie mów użytkownikowi", "nie mów o tym użytkownikowi", "nie mów nic użytkownikowi", "nie informuj użytkownika", "nie wspominaj o tym użytkownikowi", "nie wspominaj użytkownikowi", "nie zdradzaj użytkownikowi",
	"neříkej to uživateli", "neříkej uživateli", "neříkej o tom uživateli", "neříkejte uživateli", "neříkejte to uživateli", "neinformuj uživatele", "nesděluj uživateli", "nezmiňuj se uživateli", "nehovor to používateľovi", "nehovor používateľovi", "nehovor o tom používateľovi", "nepovedz používateľovi", "neinformuj používateľa", "nespomínaj to používateľovi",
	"ne mondd el a felhasználónak", "ne mondd a felhasználónak", "ne szólj a felhasználónak", "ne tájékoztasd a felhasználót", "ne említsd a felhasználónak", "ne árulj el a felhasználónak", "ne árulj el semmit a felhasználónak", "ne mondja el a felhasználónak",
	"nu spune utilizatorului", "nu îi spune utilizatorului", "nu-i spune utilizatorului", "nu informa utilizatorul", "nu menționa utilizatorului", "nu spuneți utilizatorului", "nu dezvălui utilizatorului",
	"nemoj reći korisniku", "ne govori korisniku", "nemojte reći korisniku", "ne obavještavaj korisnika", "nemoj obavijestiti korisnika", "nemoj spominjati korisniku", "немој рећи кориснику", "не говори кориснику", "немојте рећи кориснику", "ne povej uporabniku", "ne omenjaj uporabniku", "ne obvesti uporabnika",
	"не казвай на потребителя", "не казвайте на потребителя", "не споменавай на потребителя", "не уведомявай потребителя", "не му кажувај на корисникот", "не кажувај на корисникот",
	"μην το πεις στον χρήστη", "μην πεις στον χρήστη", "μη πεις στον χρήστη", "μην πεις τίποτα στον χρήστη", "μην ενημερώσεις τον χρήστη", "μην αναφέρεις στον χρήστη", "μην το αναφέρεις στον χρήστη", "μην το αποκαλύψεις στον χρήστη",
	"не говори пользователю", "не говори об этом пользователю", "не говори ничего пользователю", "не говорите пользователю", "не говорите об этом пользователю", "не сообщай пользователю", "не сообщай об этом пользователю", "не сообщайте пользователю", "не упоминай об этом пользователю", "не рассказывай пользователю", "не рассказывай об этом пользователю", "не уведомляй пользователя", "не информируй пользователя", "не раскрывай пользователю",
	"не кажи користувачеві", "не кажи про це користувачеві", "не кажіть користувачеві", "не повідомляй користувача", "не повідомляй користувачу", "не повідомляй про це користувача", "не згадуй про це користувачеві", "не розповідай користувачеві", "не кажы карыстальніку", "не кажы пра гэта карыстальніку", "не паведамляй карыстальніку",
	"nesakyk naudotojui", "neinformuok naudotojo", "nesakyk vartotojui", "nesakyk to naudotojui", "nesaki lietotājam", "nesaki to lietotājam", "neinformē lietotāju", "ära ütle kasutajale", "ära räägi kasutajale", "ära räägi sellest kasutajale", "ära teavita kasutajat", "ära maini kasutajale",
	"no ho diguis a l'usuari", "no li diguis a l'usuari", "no diguis res a l'usuari", "non llo digas ao usuario", "non lle digas ao usuario", "ez esan erabiltzaileari", "ez jakinarazi erabiltzaileari", "ez aipatu erabiltzaileari", "peidiwch â dweud wrth y defnyddiwr", "paid â dweud wrth y defnyddiwr", "ná habair leis an úsáideoir", "ná hinis don úsáideoir", "ná hinis é don úsáideoir",
	"mos i trego përdoruesit", "mos i thuaj përdoruesit", "mos ia trego përdoruesit", "mos e njofto përdoruesin", "tgħidx lill-utent", "moenie die gebruiker vertel", "moenie dit vir die gebruiker", "moenie vir die gebruiker sê",
	"kullanıcıya söyleme", "kullanıcıya bahsetme", "kullanıcıya bundan bahsetme", "bunu kullanıcıya söyleme", "istifadəçiyə demə", "bunu istifadəçiyə demə", "пайдаланушыға айтпа", "foydalanuvchiga aytma", "колдонуучуга айтпа", "кулланучыга әйтмә", "ба корбар нагӯ", "хэрэглэгчид бүү хэл", "хэрэглэгчид битгий хэл",
	"არ უთხრა მომხმარებელს", "ნუ ეტყვი მომხმარებელს", "არ უთხრათ მომხმარებელს", "მომხმარებელს არ უთხრა", "մի ասա օգտատիրոջը", "մի ասեք օգտատիրոջը", "օգտատիրոջը մի ասա", "մի հայտնիր օգտատիրոջը",
	"不要告诉用户", "别告诉用户", "不要告知用户", "切勿告诉用户", "勿告知用户", "不得告知用户", "不要把这件事告诉用户", "不要向用户透露", "不要向用户提及", "不要让用户知道", "别让用户知道", "不要通知用户", "不要告訴使用者", "不要告訴用戶", "別告訴使用者", "不要讓使用者知道", "不要讓用戶知道",
	"ユーザーには言わないで", "ユーザーに言わないで", "ユーザーに伝えないで", "ユーザーには伝えないで", "ユーザーに知らせないで", "ユーザーには知らせないで", "ユーザーに話さないで", "ユーザーには話さないで", "ユーザーに教えないで", "ユーザーには教えないで", "ユーザには言わないで", "ユーザに伝えないで", "利用者に伝えないで", "利用者には言わないで",
	"사용자에게 말하지 마", "사용자에게 알리지 마", "사용자에게 언급하지 마", "사용자에게 말하지 말", "사용자에게 알리지 말", "사용자에게는 말하지 마", "사용자에게는 알리지 마", "사용자에게 이 사실을 알리지 마", "사용자에게 공개하지 마",
	"لا تخبر المستخدم", "لا تُخبر المستخدم", "لا تخبري المستخدم", "لا تقل للمستخدم", "لا تذكر للمستخدم", "لا تذكر ذلك للمستخدم", "لا تبلغ المستخدم", "لا تُعلم المستخدم",
	"אל תספר למשתמש", "אל תגיד למשתמש", "אל תאמר למשתמש", "אל תדווח למשתמש", "אל תיידע את המשתמש", "אל תגלה למשתמש", "به کاربر نگو", "به کاربر چیزی نگو", "به کاربر اطلاع نده", "به کاربر اشاره نکن", "صارف کو مت بتا", "صارف کو نہ بتا", "کارن ته مه وای", "کاروونکي ته مه وای",
	"उपयोगकर्ता को मत बता", "उपयोगकर्ता को न बता", "यूज़र को मत बता", "यूजर को मत बता", "यूज़र को न बता", "उपयोगकर्ता को सूचित न कर", "उपयोगकर्ता से न कह", "उपयोगकर्ता को इसके बारे में न बता", "वापरकर्त्याला सांगू नका", "वापरकर्त्यास सांगू नका", "वापरकर्त्याला सांगू नकोस", "प्रयोगकर्तालाई नभन्नु", "प्रयोगकर्तालाई नभन",
	"ব্যবহারকারীকে বলবেন না", "ব্যবহারকারীকে বলো না", "ব্যবহারকারীকে বলবে না", "ব্যবহারকারীকে জানাবেন না", "ব্যবহারকারীকে জানিও না", "વપરાશકર્તાને કહેશો નહીં", "વપરાશકર્તાને જણાવશો નહીં", "વપરાશકર્તાને ન કહો", "ਉਪਭੋਗਤਾ ਨੂੰ ਨਾ ਦੱਸ", "ਵਰਤੋਂਕਾਰ ਨੂੰ ਨਾ ਦੱਸ",
	"பயனரிடம் சொல்லாதே", "பயனரிடம் சொல்ல வேண்டாம்", "பயனரிடம் கூற வேண்டாம்", "பயனருக்கு தெரிவிக்காதே", "பயனருக்குத் தெரிவிக்க வேண்டாம்", "వినియోగదారుకు చెప్పవద్దు", "వినియోగదారునికి చెప్పవద్దు", "వినియోగదారుకు తెలియజేయవద్దు", "వినియోగదారుకి చెప్పకు", "ಬಳಕೆದಾರರಿಗೆ ಹೇಳಬೇಡ", "ಬಳಕೆದಾರನಿಗೆ ಹೇಳಬೇಡ", "ಬಳಕೆದಾರರಿಗೆ ತಿಳಿಸಬೇಡ", "ഉപയോക്താവിനോട് പറയരുത്", "ഉപയോക്താവിനെ അറിയിക്കരുത്", "පරිශීලකයාට නොකියන්න", "පරිශීලකයාට කියන්න එපා",
	"ห้ามบอกผู้ใช้", "อย่าบอกผู้ใช้", "ไม่ต้องบอกผู้ใช้", "อย่าแจ้งผู้ใช้", "ห้ามแจ้งผู้ใช้", "ห้ามเปิดเผยต่อผู้ใช้", "ຢ່າບອກຜູ້ໃຊ້", "ຫ້າມບອກຜູ້ໃຊ້", "កុំប្រាប់អ្នកប្រើ", "ហាមប្រាប់អ្នកប្រើ", "အသုံးပြုသူကို မပြော", "အသုံးပြုသူအား မပြော", "သုံးစွဲသူကို မပြော",
	"đừng nói cho người dùng", "đừng nói với người dùng", "không nói cho người dùng", "đừng cho người dùng biết", "đừng báo cho người dùng", "không được nói với người dùng", "đừng tiết lộ cho người dùng", "đừng đề cập với người dùng",
	"jangan beri tahu pengguna", "jangan beritahu pengguna", "jangan katakan kepada pengguna", "jangan bilang ke pengguna", "jangan sebutkan kepada pengguna", "jangan maklumkan kepada pengguna", "jangan beritahu kepada pengguna", "jangan beritahukan kepada pengguna",
	"huwag sabihin sa user", "huwag mong sabihin sa user", "huwag ipaalam sa user", "huwag sabihin sa gumagamit", "huwag mong sabihin sa gumagamit", "ayaw isulti sa user", "usimwambie mtumiaji", "usimjulishe mtumiaji", "usimwarifu mtumiaji", "usimfahamishe mtumiaji",
	"ለተጠቃሚው አትንገር", "ለተጠቃሚው አትናገር", "kada ka gaya wa mai amfani", "kar ka gaya wa mai amfani", "kada ku gaya wa mai amfani", "má sọ fún olumulo", "má ṣe sọ fún olùmúlò", "maṣe sọ fun olumulo", "agwala onye ọrụ", "ungamtsheli umsebenzisi", "musa ukutshela umsebenzisi", "ha u sheegin isticmaalaha", "ne diru al la uzanto",
}

// adviceAbroad is how such a sentence goes on when it is about wording: how to say it, and by which way.
var adviceAbroad = [...]string{" cara ", " comment", " cómo", " como ", " wie ", " hoe ", " jak ", " как ", " come ", " hogyan", " cum ", " per e-mail", " per email", " per mail", " per sms", " per post", "よい", "いい", "もよ", "もい", "も構"}

// toDoAbroad is how it goes on with what the user is not to be told to do, unless the words are those of aboutAbroad: behind
// these it is what the user is not to be told of.
var (
	toDoAbroad  = [...]string{" de ", " d'", " d’", " para ", " di ", " om te ", " untuk "}
	aboutAbroad = mustIndex("inform", "rien", "nada", "nulla", "niente", "avises", "préviens", "parl")
)

func concealmentKeywords() []keyword {
	var k []keyword
	for _, c := range concealmentsAbroad {
		for _, s := range inCases(c) {
			k = append(k, keyword{text: s, look: func(sc *scan, at int) { sc.concealmentAbroad(at, at+len(s)) }})
		}
	}
	return k
}

// inCases returns the spellings of a phrase that the index, which ignores the case of ASCII alone, has to know: in lower
// case, at the start of a sentence and in capitals.
func inCases(phrase string) []string {
	first, n := utf8.DecodeRuneInString(phrase)
	all := []string{foldASCII(phrase), foldASCII(string(unicode.ToUpper(first)) + phrase[n:]), foldASCII(strings.ToUpper(phrase))}
	slices.Sort(all)
	return slices.Compact(all)
}

// concealmentAbroad looks for the order to keep the user in the dark in other languages.
func (sc *scan) concealmentAbroad(at, end int) {
	text := sc.text
	if at > 0 && isAlnum(text[at-1]) || oneOf(text[end:], adviceAbroad[:]) > 0 || oneOf(text[end:], toDoAbroad[:]) > 0 && !aboutAbroad.any(text[at:end]) {
		return
	}
	det := detAddress
	if sc.definitional() {
		det = detPoison
	}
	if strings.HasSuffix(text[at:end], "leme") || strings.HasSuffix(text[at:end], "etme") {
		// The stem of a noun in Turkish, unless the clause ends there.
		if end < len(text) && strings.IndexByte(".,!;\r\n\"')", text[end]) < 0 {
			return
		}
	}
	if !sc.enough(det, Review) && !sc.mentionedAt(at) {
		sc.review(det, at, end, Review)
	}
}

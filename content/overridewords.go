package content

import "slices"

// overrideIn is the override of earlier instructions in one language: what is set aside and how, near each
// other in either order, as the language wants it.
type overrideIn struct {
	lang  string
	verbs []string // open the look
	past  []string // what came before
	all   []string // all of it, which says less and must stand close
	thing []string // instructions
	own   []string // the reader's own instructions, in one piece
	told  []string // what the reader was told, with no name for it
	not   []string // takes the verb back, which stands at \x00
	tells []string // makes a statement of the verb, in the same way: "the parser ignores"
	final bool     // the verb stands behind what it is about
}

// overrideLanguages are all languages.
var overrideLanguages = slices.Concat(overrideCommon, overrideFurther)

// overrideCommon holds stems in lower case, as the languages write them. The accents of a stem are there
// with and without, because people leave them out.
var overrideCommon = []overrideIn{
	{lang: "de", verbs: []string{"ignorier", "vergiss", "vergessen sie", "missachte", "überschreibe", "verwirf"},
		past: []string{"vorherig", "bisherig", "vorig", "obig", "vorangegangen", "vorangehend", "früher", "vorhergehend"}, all: []string{"alle ", "sämtliche "},
		thing: []string{"anweisung", "instruktion", "anordnung", "vorgaben", "befehle", "aufforderung"},
		own:   []string{"deine anweisung", "deine instruktion", "deine vorgaben", "deine richtlinien"},
		told:  []string{"alles davor", "alles vorher", "alles zuvor", "was dir gesagt wurde", "was man dir gesagt", "was dir bisher", "was du bisher", "was dir vorher", "was dir zuvor", "was dir vorhin", "was ihnen vorher", "was ihnen zuvor", "was ihnen bisher"},
		not:   []string{" nicht", "niemals", " nie "}, tells: []string{"\x00t "}},
	{lang: "fr", verbs: []string{"ignore", "oublie", "néglige", "ne tiens pas compte", "ne tenez pas compte", "fais abstraction", "faites abstraction"},
		past: []string{"précédent", "precedent", "antérieur", "ci-dessus", "initiale", "reçues"}, all: []string{"toutes les", "tes "},
		thing: []string{"instruction", "consigne", "directive"}, own: []string{"tes instructions", "tes consignes", "tes directives"},
		told: []string{"tout ce qu'on t'a dit", "tout ce qu’on t’a dit", "tout ce qu'on vous a dit", "tout ce qui précède", "ce qui t'a été dit", "ce qui vous a été dit"},
		not:  []string{" n'", " n’", "jamais", " pas \x00", " ne \x00", " sans \x00"}},
	{lang: "es", verbs: []string{"ignora", "ignore", "olvida", "olvide", "descarta", "haz caso omiso", "haga caso omiso"},
		past: []string{"anterior", "previa", "previo", "de arriba", "precedent"}, all: []string{"todas las", "todos los"},
		thing: []string{"instrucci", "indicacion", "órdenes", "directric"}, own: []string{"tus instrucciones", "tus indicaciones", "tus directrices"},
		told: []string{"todo lo que te han dicho", "todo lo que te dij", "todo lo que se te ha", "lo que te han dicho", "todo lo anterior"}, not: []string{" no ", "nunca", "jamás"}},
	{lang: "pt", verbs: []string{"ignore", "ignora", "esqueça", "esqueca", "desconsidere", "descarte"},
		past: []string{"anterior", "prévia", "previa", "acima"}, all: []string{"todas as", "todos os"},
		thing: []string{"instruç", "instruc", "orientaç", "comandos", "diretriz"}, own: []string{"suas instruções", "tuas instruções", "suas instrucoes"},
		told: []string{"tudo o que te disseram", "tudo o que lhe disseram", "tudo o que foi dito", "tudo que foi dito", "tudo que te disseram"}, not: []string{" não ", " nao ", "nunca"}},
	{lang: "it", verbs: []string{"ignora", "dimentica", "trascura", "non tenere conto", "non tener conto"},
		past: []string{"precedent", "di sopra", "iniziali", "ricevute"}, all: []string{"tutte le", "tutti gli"},
		thing: []string{"istruzion", "indicazion", "direttiv"}, own: []string{"le tue istruzioni", "tue istruzioni", "le tue direttive"},
		told: []string{"tutto quello che ti è stato detto", "tutto ciò che ti è stato detto", "quello che ti hanno detto", "ciò che ti è stato detto"}, not: []string{" non dimentic", " non ignor", " non trascur", " non \x00", " non dev", " non bisogna \x00", " senza \x00", " mai "}},
	{lang: "ca", verbs: []string{"ignora", "ignoreu", "oblida", "oblideu"}, past: []string{"anteriors", "prèvies", "de dalt"}, all: []string{"totes les"},
		thing: []string{"instruccions", "indicacions", "ordres"}, own: []string{"les teves instruccions"}, not: []string{" no "}},
	{lang: "nl", verbs: []string{"negeer", "vergeet"}, past: []string{"vorige", "eerdere", "voorgaande", "bovenstaande"}, all: []string{"alle ", "al je "},
		thing: []string{"instructies", "opdrachten", "aanwijzingen", "richtlijnen"}, own: []string{"je instructies", "uw instructies", "jouw instructies"},
		told: []string{"alles wat je is verteld", "alles wat u is verteld", "alles hiervoor"}, not: []string{" niet", "nooit"}, tells: []string{"\x00t "}},
	{lang: "sv", verbs: []string{"ignorera", "glöm", "bortse från", "strunta i"}, past: []string{"tidigare", "föregående", "ovanstående"}, all: []string{"alla "},
		thing: []string{"instruktion", "anvisning", "direktiv"}, own: []string{"dina instruktioner"}, told: []string{"allt du har fått höra", "allt som sagts"}, not: []string{" inte", "aldrig"}, tells: []string{"\x00rar ", "\x00mer "}},
	{lang: "da", verbs: []string{"ignorer", "glem", "se bort fra", "tilsidesæt"}, past: []string{"tidligere", "forrige", "ovenstående", "foregående"}, all: []string{"alle "},
		thing: []string{"instruktion", "instruks", "anvisning", "ordrer"}, own: []string{"dine instruktioner", "instruksene dine", "instruksjonene dine"}, told: []string{"alt hvad du har fået at vide", "alt du har fått beskjed om"},
		not: []string{" ikke", "aldrig", "aldri"}, tells: []string{"\x00rer ", "\x00mer "}},
	{lang: "fi", verbs: []string{"unohda", "ohita", "jätä huomiotta", "älä välitä"}, past: []string{"aiem", "aikaisem", "edelli", "edellä"}, all: []string{"kaikki "},
		thing: []string{"ohjee", "ohjei", "määräy", "käsky"}, own: []string{"ohjeesi"}, not: []string{" älä \x00", " älkää \x00", " ala \x00", " alkaa \x00"}},
	{lang: "pl", verbs: []string{"zignoruj", "ignoruj", "zapomnij", "pomiń"}, past: []string{"poprzedni", "wcześniejsz", "powyższ", "dotychczasow"}, all: []string{"wszystkie", "wszelkie"},
		thing: []string{"instrukcj", "polece", "wskazówk", "wytyczn"}, own: []string{"swoje instrukcje", "swoich instrukcj"}, told: []string{"wszystko, co ci powiedziano", "wszystkim, co ci powiedziano", "o wszystkim powyżej"},
		not: []string{" nie ", "nigdy"}, tells: []string{"\x00e ", "\x00je ", "\x00ą "}},
	{lang: "cs", verbs: []string{"ignoruj", "zapomeň", "zapomen", "zabudni"}, past: []string{"předchozí", "predchozi", "dřívější", "výše", "predchádzajúc", "vyššie"}, all: []string{"všechny", "všetky"},
		thing: []string{"instrukc", "pokyn", "příkaz", "inštrukc"}, own: []string{"své pokyny", "své instrukce", "svoje pokyny"}, not: []string{" ne"}, tells: []string{"\x00e ", "\x00je ", "\x00í "}},
	{lang: "hu", verbs: []string{"hagyd figyelmen kívül", "hagyja figyelmen kívül", "felejtsd el", "felejts el", "felejtse el", "ignoráld"}, past: []string{"korábbi", "előző", "fenti", "eddigi"}, all: []string{"összes", "minden "},
		thing: []string{"utasítás", "instrukció", "parancs"}, own: []string{"az utasításaidat"}, not: []string{" ne "}, final: true},
	{lang: "ro", verbs: []string{"ignoră", "ignora", "ignorați", "uită", "uita de"}, past: []string{"anterioare", "precedente", "de mai sus"}, all: []string{"toate "},
		thing: []string{"instrucțiun", "instructiun", "instrucţiun", "indicați"}, own: []string{"instrucțiunile tale"}, not: []string{" nu "}},
	{lang: "hr", verbs: []string{"ignoriraj", "ignoriši", "zanemari", "zaboravi", "игнориши", "занемари", "заборави"}, past: []string{"prethodn", "ranij", "gornj", "претходн", "раниј"}, all: []string{"sve ", "све "},
		thing: []string{"uput", "instrukcij", "instrukcije", "naredb", "упут", "инструкциј"}, own: []string{"svoje upute", "svoja uputstva"}, not: []string{" ne ", " nemoj", " не "}},
	{lang: "bg", verbs: []string{"игнорирай", "пренебрегни", "забрави"}, past: []string{"предишн", "горн", "досегашн", "предходн"}, all: []string{"всички "},
		thing: []string{"инструкци", "указани", "команд", "заповед"}, own: []string{"инструкциите си"}, not: []string{" не "}},
	{lang: "el", verbs: []string{"αγνόησε", "αγνοήστε", "ξέχασε", "ξεχάστε", "παράβλεψε"}, past: []string{"προηγούμεν", "παραπάνω", "πρότερ"}, all: []string{"όλες "},
		thing: []string{"οδηγί", "εντολ", "εντολέ"}, own: []string{"τις οδηγίες σου"}, told: []string{"όλα όσα σου είπαν", "ό,τι σου είπαν", "ό,τι σου έχουν πει"}, not: []string{"μην ", "μη "}},
	{lang: "tr", verbs: []string{"yoksay", "yok say", "görmezden gel", "unut", "dikkate alma"}, past: []string{"önceki", "yukarıdaki", "daha önce"}, all: []string{"tüm ", "bütün "},
		thing: []string{"talimat", "yönerge", "komut"}, own: []string{"talimatlarını", "talimatlarınızı"}, told: []string{"sana söylenen her şeyi", "size söylenen her şeyi", "söylenenleri"},
		not: []string{"\x00ma", "\x00may", "\x00me", "\x00mey"}, final: true},
	{lang: "ru", verbs: []string{"игнорируй", "игнорировать", "забудь", "проигнорируй", "отбрось", "не обращай внимания на"},
		past: []string{"предыдущ", "прежн", "выше", "предшествующ", "ранее"}, all: []string{"все "}, thing: []string{"инструкци", "указани", "команд", "правила"},
		own: []string{"свои инструкции", "твои инструкции", "ваши инструкции"}, told: []string{"что тебе говорили", "что вам говорили", "что тебе сказали", "что вам сказали", "всё вышесказанное", "все вышесказанное"},
		not: []string{" не забу", " не игнор", " не проигнор", " не отбр", " не \x00", "нельзя"}},
	{lang: "uk", verbs: []string{"ігноруй", "проігноруй", "забудь", "нехтуй"}, past: []string{"попередн", "вище", "раніше"}, all: []string{"усі ", "всі "},
		thing: []string{"інструкці", "вказівк", "команд"}, own: []string{"свої інструкції", "твої інструкції"}, told: []string{"що тобі казали", "що вам казали", "що тобі сказали"}, not: []string{" не \x00"}},
	{lang: "zh", verbs: []string{"忽略", "无视", "忘记", "忽視", "無視", "忘掉", "忘記", "不要理会", "不理会", "抛弃"}, past: []string{"之前", "以上", "先前", "上述", "前面", "此前", "原有", "原来"}, all: []string{"所有", "全部", "一切"},
		thing: []string{"指令", "指示", "提示词", "说明", "命令", "指引", "提示詞"}, own: []string{"你的指令", "你的指示", "您的指示", "您的指令", "你的说明"},
		told: []string{"告诉你的", "被告知的", "对你说的", "告訴你的"}, not: []string{"不要\x00", "别\x00", "勿\x00", "不能\x00", "不可\x00", "不得\x00"}, tells: []string{"会\x00", "會\x00", "将\x00", "將\x00", "会自动\x00"}},
	{lang: "ja", verbs: []string{"無視", "忘れて", "忘れろ", "忘れなさい", "破棄し"}, past: []string{"以前", "これまで", "上記", "前の", "今まで", "先の"}, all: []string{"すべて", "全て", "全部"},
		thing: []string{"指示", "命令", "プロンプト", "指令"}, own: []string{"あなたの指示", "あなたへの指示"}, told: []string{"言われたこと", "教えられたこと", "言われたすべて"}, not: []string{"\x00しない", "\x00はいけ", "\x00はならな", "\x00するな", "\x00できない", "\x00してはいけ", "\x00しては"}, tells: []string{"\x00します", "\x00される", "\x00されます"}, final: true},
	{lang: "ko", verbs: []string{"무시", "잊어", "잊으"}, past: []string{"이전", "위의", "앞의", "지금까지", "기존"}, all: []string{"모든"}, thing: []string{"지시", "명령", "프롬프트", "지침"},
		own: []string{"당신의 지시", "너의 지시", "당신의 지침"}, told: []string{"들은 모든", "말한 모든", "들었던 모든", "지시받은"}, not: []string{"\x00하지", "\x00지 ", "\x00버리지", "\x00해서는"}, tells: []string{"\x00합니다", "\x00한다", "\x00됩니다", "\x00된다"}, final: true},
	{lang: "ar", verbs: []string{"تجاهل", "انس ", "انسَ", "تغاضى", "تغاض"}, past: []string{"السابقة", "أعلاه", "سابقة", "من قبل"}, all: []string{"جميع", "كل "},
		thing: []string{"التعليمات", "الأوامر", "الإرشادات", "تعليمات", "الإرشادات"}, own: []string{"تعليماتك", "إرشاداتك"}, told: []string{"كل ما قيل لك", "ما قيل لك", "كل ما تم إخبارك"}, not: []string{" لا ", " لا\x00", "عدم "}},
	{lang: "he", verbs: []string{"התעלם", "התעלמי", "תתעלם", "שכח מ", "שכח את", "תשכח"}, past: []string{"הקודמות", "קודמות", "שלעיל", "לעיל", "שניתנו"}, all: []string{"כל "},
		thing: []string{"הוראות", "הנחיות", "פקודות"}, own: []string{"ההוראות שלך", "ההנחיות שלך"}, told: []string{"מה שאמרו לך", "מה שנאמר לך"}, not: []string{" אל ", " לא "}},
	{lang: "fa", verbs: []string{"نادیده بگیر", "فراموش کن"}, past: []string{"قبلی", "پیشین", "بالا"}, all: []string{"تمام ", "همه "}, thing: []string{"دستور", "راهنمایی", "فرمان"},
		own: []string{"دستورات خود", "دستورات خودت", "دستورهای خود"}, not: []string{"نادیده نگیر", "فراموش نکن"}, final: true},
	{lang: "ur", verbs: []string{"نظر انداز", "بھول ج"}, past: []string{"پچھلی", "سابقہ", "پہلے", "گزشتہ"}, all: []string{"تمام ", "سبھی "}, thing: []string{"ہدایات", "احکامات", "ہدایت"},
		own: []string{"اپنی ہدایات"}, not: []string{"\x00 نہ", " مت "}, final: true},
	{lang: "hi", verbs: []string{"अनदेखा", "अनदेखी", "नज़रअंदाज़", "नजरअंदाज", "भूल जा", "अवहेलना", "इग्नोर"}, past: []string{"पिछले", "पिछली", "पहले", "उपरोक्त", "पूर्व"}, all: []string{"सभी", "सारे"},
		thing: []string{"निर्देश", "आदेश"}, own: []string{"अपने निर्देश", "अपने सभी निर्देश"}, told: []string{"आपको जो बताया", "आपको बताया गया", "तुम्हें बताया गया"},
		not: []string{"\x00 न ", "\x00 नहीं", "\x00 मत", " न \x00", "\x00ना न", "\x00ी न "}, final: true},
	{lang: "bn", verbs: []string{"উপেক্ষা", "ভুলে যা", "অগ্রাহ্য"}, past: []string{"আগের", "পূর্ব", "উপরের"}, all: []string{"সমস্ত", "সব "}, thing: []string{"নির্দেশ", "আদেশ"},
		own: []string{"আপনার নির্দেশ", "তোমার নির্দেশ"}, told: []string{"আপনাকে যা বলা হয়েছে", "তোমাকে যা বলা হয়েছে"}, not: []string{"\x00 করবেন না", "\x00 না"}, final: true},
	{lang: "th", verbs: []string{"เพิกเฉย", "ไม่ต้องสนใจ", "ละเลย", "ลืม", "ละเว้น", "มองข้าม"}, past: []string{"ก่อนหน้า", "ข้างต้น", "เดิม", "ที่ผ่านมา"}, all: []string{"ทั้งหมด", "ทุก"},
		thing: []string{"คำสั่ง", "คําสั่ง", "คำแนะนำ", "คําแนะนํา"}, own: []string{"คำสั่งของคุณ", "คําสั่งของคุณ"}, told: []string{"ที่คุณได้รับการบอก", "ที่คุณถูกบอก", "ที่บอกคุณ"}, not: []string{"อย่า\x00", "ห้าม\x00", "ไม่\x00"}},
	{lang: "vi", verbs: []string{"bỏ qua", "phớt lờ", "quên "}, past: []string{"trước", "ở trên", "phía trên"}, all: []string{"tất cả", "mọi "}, thing: []string{"hướng dẫn", "chỉ dẫn", "chỉ thị", "lệnh", "quy tắc"},
		own: []string{"hướng dẫn của bạn", "chỉ dẫn của bạn"}, told: []string{"những gì bạn được bảo", "mọi điều bạn được bảo", "những gì đã nói với bạn"}, not: []string{"đừng", "không ", "chớ "}},
	{lang: "id", verbs: []string{"abaikan", "lupakan"}, past: []string{"sebelumnya", "di atas", "terdahulu"}, all: []string{"semua "}, thing: []string{"instruksi", "perintah", "petunjuk", "arahan"},
		own: []string{"instruksi anda", "instruksimu", "arahan anda"}, told: []string{"semua yang dikatakan kepadamu", "apa yang dikatakan kepada anda"}, not: []string{"jangan", "tidak "}},
	{lang: "tl", verbs: []string{"balewalain", "huwag pansinin", "kalimutan"}, past: []string{"nakaraang", "naunang", "nauna", "sa itaas"}, all: []string{"lahat ng"}, thing: []string{"tagubilin", "utos", "instruksyon"},
		own: []string{"iyong mga tagubilin", "iyong tagubilin"}, not: []string{"huwag \x00", "huwag mong \x00"}},
	{lang: "sw", verbs: []string{"puuza", "sahau "}, past: []string{"yaliyotangulia", "ya awali", "yaliyopita", "ya hapo juu"}, all: []string{"yote"}, thing: []string{"maagizo", "maelekezo"},
		own: []string{"maagizo yako"}, not: []string{"usipuuze", "usisahau"}},
}

package content

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// idKind is one kind of identity number.
type idKind struct {
	// pattern is the number without marks between its groups: d is a digit, A a letter, x either.
	pattern string
	check   func(string) bool

	digits, letters uint8 // which of the first idHead characters must be one
}

// idHead is how many characters of a number tell which kinds it may be of. None is shorter.
const idHead = 8

func newIDKind(pattern string, check func(string) bool) idKind {
	k := idKind{pattern: pattern, check: check}
	for i := range idHead {
		switch pattern[i] {
		case 'd':
			k.digits |= 1 << i
		case 'A':
			k.letters |= 1 << i
		}
	}
	return k
}

// The kinds of identity numbers that carry a check, or a date and a structure, which tells them from others.
var (
	idBritish    = newIDKind("AAddddddA", britishInsurance)
	idHealth     = newIDKind("dddddddddd", britishHealth)
	idTaxpayer   = newIDKind("ddddddddd", americanTaxpayer)
	idGerman     = newIDKind("ddddddddddd", germanTax)
	idFrench     = newIDKind("dddddxxdddddddd", frenchRegister)
	idSpanish    = newIDKind("ddddddddA", spanishIdentity)
	idForeigner  = newIDKind("AdddddddA", spanishForeigner)
	idItalian    = newIDKind("AAAAAAxxAxxAxxxA", italianCode)
	idBrazilian  = newIDKind("ddddddddddd", brazilianPerson)
	idCompany    = newIDKind("dddddddddddddd", brazilianCompany)
	idIndian     = newIDKind("dddddddddddd", indianIdentity)
	idIndianTax  = newIDKind("AAAAAddddA", indianTax)
	idDutch      = newIDKind("ddddddddd", dutchService)
	idBelgian    = newIDKind("ddddddddddd", belgianRegister)
	idPolish     = newIDKind("ddddddddddd", polishRegister)
	idSwedish    = newIDKind("dddddddddd", swedishPerson)
	idSwedishOld = newIDKind("dddddddddddd", swedishPerson)
	idNorwegian  = newIDKind("ddddddddddd", norwegianBirth)
	idDanish     = newIDKind("dddddddddd", danishPerson)
	idFinnish    = newIDKind("dddddddddx", finnishIdentity)
	idFinnishNew = newIDKind("ddddddAdddx", finnishIdentity)
	idSwiss      = newIDKind("ddddddddddddd", swissInsurance)
	idAustrian   = newIDKind("dddddddddd", austrianInsurance)
	idChinese    = newIDKind("dddddddddddddddddx", chineseResident)
	idTaiwanese  = newIDKind("Addddddddd", taiwaneseIdentity)
	idHongKong   = newIDKind("Addddddx", hongKongIdentity)
	idSingapore  = newIDKind("AdddddddA", singaporeIdentity)
	idKorean     = newIDKind("ddddddddddddd", koreanResident)
	idJapanese   = newIDKind("dddddddddddd", japaneseNumber)
	idTurkish    = newIDKind("ddddddddddd", turkishIdentity)
	idLuhnNine   = newIDKind("ddddddddd", luhnNumber)
	idLuhnTen    = newIDKind("dddddddddd", luhnNumber)
	idAustralian = newIDKind("ddddddddd", australianTax)
	idChilean    = newIDKind("ddddddddx", chileanRole)
	idChileanOld = newIDKind("dddddddx", chileanRole)
	idArgentine  = newIDKind("ddddddddddd", argentineTax)
	idPortuguese = newIDKind("ddddddddd", portugueseTax)
	idRomanian   = newIDKind("ddddddddddddd", romanianCode)
	idBulgarian  = newIDKind("dddddddddd", bulgarianNumber)
	idCzech      = newIDKind("dddddddddd", czechBirth)
	idYugoslav   = newIDKind("ddddddddddddd", yugoslavNumber)
	idCroatian   = newIDKind("ddddddddddd", hybrid)
	idBaltic     = newIDKind("ddddddddddd", balticCode)
	idGreekTax   = newIDKind("ddddddddd", greekTax)
	idGreek      = newIDKind("ddddddddddd", greekInsurance)
	idAfrican    = newIDKind("ddddddddddddd", southAfricanIdentity)
	idRussian    = newIDKind("ddddddddddd", russianInsurance)
	idRussianTax = newIDKind("dddddddddddd", russianTax)
	idKazakh     = newIDKind("dddddddddddd", kazakhIdentity)
	idIndonesian = newIDKind("dddddddddddddddd", indonesianIdentity)
	idMalaysian  = newIDKind("dddddddddddd", malaysianIdentity)
	idThai       = newIDKind("ddddddddddddd", thaiIdentity)
	idIranian    = newIDKind("dddddddddd", iranianCode)
	idIrish      = newIDKind("dddddddA", irishService)
	idIrishNew   = newIDKind("dddddddAA", irishService)
	idMexican    = newIDKind("AAAAddddddAAAAAAxd", mexicanCode)

	// What "national id" may be followed by in any country, if its check leaves little to chance.
	idAny = []*idKind{&idChinese, &idFrench, &idKorean, &idIndian, &idBrazilian, &idTurkish, &idPolish, &idBaltic, &idNorwegian, &idSpanish, &idForeigner, &idItalian, &idRomanian, &idSingapore, &idThai, &idMexican, &idAfrican}
)

// idNames are the words that announce an identity number. Short ones are names only where one of idAfter follows, and
// words of a language unless they are written in capitals.
var idNames = []struct {
	words, short, capitals []string
	kinds                  []*idKind
}{
	{words: []string{"national insurance", "nino:", "nino ", "ni number", "ni no"}, kinds: []*idKind{&idBritish}},
	{words: []string{"nhs number", "nhs no", "nhs:", "nhs_number"}, kinds: []*idKind{&idHealth}},
	{words: []string{"itin:", "itin ", "taxpayer identification n"}, kinds: []*idKind{&idTaxpayer}},
	{words: []string{"steuer-id", "steuer id", "steuerid", "steueridentifikationsnummer", "steuer-identifikationsnummer", "steuerliche identifikationsnummer", "idnr", "steuer-idnr"}, kinds: []*idKind{&idGerman}},
	{words: []string{"sécurité sociale", "securite sociale", "n° sécu", "numéro insee"}, short: []string{"nir"}, kinds: []*idKind{&idFrench}},
	// "Nie" and "dni" are words of everyday Polish and German, so what follows them must end in its letter.
	{short: []string{"dni", "nie"}, words: []string{"documento nacional"}, kinds: []*idKind{&idSpanish, &idForeigner}},
	{short: []string{"nif"}, kinds: []*idKind{&idSpanish, &idForeigner, &idPortuguese}},
	{words: []string{"codice fiscale", "codice_fiscale", "codicefiscale", "cod. fisc", "cod.fisc"}, kinds: []*idKind{&idItalian}},
	{short: []string{"cpf"}, kinds: []*idKind{&idBrazilian}},
	{words: []string{"cnpj"}, kinds: []*idKind{&idCompany}},
	{words: []string{"aadhaar", "aadhar", "uidai", "आधार"}, kinds: []*idKind{&idIndian}},
	{words: []string{"pan card", "pan number", "pan no", "permanent account number"}, capitals: []string{"pan"}, kinds: []*idKind{&idIndianTax}},
	{words: []string{"burgerservicenummer", "sofinummer", "bsn-nummer"}, short: []string{"bsn"}, kinds: []*idKind{&idDutch}},
	{words: []string{"rijksregisternummer", "registre national", "numéro national"}, kinds: []*idKind{&idBelgian}},
	{words: []string{"pesel"}, kinds: []*idKind{&idPolish}},
	{words: []string{"personnummer", "samordningsnummer", "fødselsnummer", "fodselsnummer", "personal identity number"}, kinds: []*idKind{&idSwedish, &idSwedishOld, &idNorwegian}},
	{words: []string{"cpr-n", "cpr n", "cpr:"}, kinds: []*idKind{&idDanish}},
	{words: []string{"henkilötunnus", "henkilotunnus", "hetu:", "hetu ", "personbeteckning"}, kinds: []*idKind{&idFinnish, &idFinnishNew}},
	{words: []string{"ahv-n", "ahv n", "ahv:", "avs:", "numéro avs", "sozialversicherungsnummer", "svnr"}, kinds: []*idKind{&idSwiss, &idAustrian}},
	{words: []string{"身份证", "身份證", "resident id", "居民身份"}, kinds: []*idKind{&idChinese, &idHongKong}},
	{words: []string{"身分證", "身分证"}, kinds: []*idKind{&idTaiwanese}},
	{words: []string{"hkid"}, kinds: []*idKind{&idHongKong}},
	{words: []string{"nric", "mykad", "kad pengenalan"}, kinds: []*idKind{&idSingapore, &idMalaysian}},
	{words: []string{"주민등록번호", "주민번호"}, kinds: []*idKind{&idKorean}},
	{words: []string{"マイナンバー", "個人番号", "my number", "mynumber"}, kinds: []*idKind{&idJapanese}},
	{words: []string{"kimlik", "tckn", "tc no", "t.c. no"}, kinds: []*idKind{&idTurkish}},
	{words: []string{"social insurance n", "sin number", "sin no", "sin:", "sin#"}, capitals: []string{"sin"}, kinds: []*idKind{&idLuhnNine}},
	{words: []string{"tax file number"}, short: []string{"tfn"}, kinds: []*idKind{&idAustralian}},
	{words: []string{"תעודת זהות", "מספר זהות", "teudat zehut", "ת.ז"}, kinds: []*idKind{&idLuhnNine}},
	{short: []string{"rut"}, words: []string{"rol único tributario"}, kinds: []*idKind{&idChilean, &idChileanOld}},
	{words: []string{"cuit", "cuil"}, kinds: []*idKind{&idArgentine}},
	{words: []string{"contribuinte"}, kinds: []*idKind{&idPortuguese}},
	{words: []string{"cod numeric personal"}, short: []string{"cnp"}, kinds: []*idKind{&idRomanian}},
	{words: []string{"егн"}, short: []string{"egn"}, kinds: []*idKind{&idBulgarian}},
	{words: []string{"rodné číslo", "rodne cislo", "rodné č"}, kinds: []*idKind{&idCzech}},
	{words: []string{"jmbg", "јмбг", "emšo", "ematični"}, kinds: []*idKind{&idYugoslav}},
	{short: []string{"oib"}, kinds: []*idKind{&idCroatian}},
	{words: []string{"isikukood", "asmens kod"}, kinds: []*idKind{&idBaltic}},
	{words: []string{"αφμ", "α.φ.μ"}, short: []string{"afm"}, kinds: []*idKind{&idGreekTax}},
	{words: []string{"αμκα", "amka"}, kinds: []*idKind{&idGreek}},
	{words: []string{"south african id", "sa id number", "rsa id"}, kinds: []*idKind{&idAfrican}},
	{words: []string{"снилс"}, kinds: []*idKind{&idRussian}},
	{words: []string{"инн"}, kinds: []*idKind{&idRussianTax}},
	{words: []string{"жсн", "иин"}, kinds: []*idKind{&idKazakh}},
	{words: []string{"nomor induk kependudukan", "nik:", "nik ktp", "no. ktp"}, kinds: []*idKind{&idIndonesian}},
	{words: []string{"เลขประจำตัวประชาชน", "เลขบัตรประชาชน"}, kinds: []*idKind{&idThai}},
	{words: []string{"کد ملی", "کدملی"}, kinds: []*idKind{&idIranian}},
	{words: []string{"ppsn", "pps number", "pps no"}, kinds: []*idKind{&idIrish, &idIrishNew}},
	{words: []string{"curp"}, kinds: []*idKind{&idMexican}},
	{words: []string{"رقم الهوية", "iqama"}, kinds: []*idKind{&idLuhnTen}},
	{words: []string{"national id", "national_id", "nationalid", "identity number", "identity card", "id card", "id_card", "citizen id", "personal identification number", "national identification"}, kinds: idAny},
}

// idAfter are what follows a short name.
var idAfter = [...]string{" ", ":", "=", "\"", "_", "-", ",", "|", ";", "\t"}

// idShort are the short names, which a member may be called.
var idShort = func() map[string][]*idKind {
	m := map[string][]*idKind{}
	for i := range idNames {
		for _, w := range idNames[i].short {
			m[w] = idNames[i].kinds
		}
	}
	return m
}()

func nationalKeywords() []keyword {
	var k []keyword
	for i := range idNames {
		n := &idNames[i]
		for _, w := range n.words {
			// The index ignores the case of ASCII alone.
			spellings := []string{foldASCII(w), foldASCII(strings.ToUpper(w))}
			for _, s := range slices.Compact(spellings) {
				k = append(k, keyword{text: s, look: func(sc *scan, at int) { sc.identity(at, at+len(s), n.kinds) }})
			}
		}
		for _, w := range n.capitals {
			for _, after := range idAfter {
				k = append(k, keyword{text: w + after, look: func(sc *scan, at int) {
					if c := sc.text[at+1]; c >= 'A' && c <= 'Z' {
						sc.identity(at, at+len(w), n.kinds)
					}
				}})
			}
		}
		for _, w := range n.short {
			for _, after := range idAfter {
				k = append(k, keyword{text: w + after, look: func(sc *scan, at int) { sc.identity(at, at+len(w), n.kinds) }})
			}
		}
	}
	return k
}

// Bounds of an identity number, in bytes: how far behind its name it may begin, and how long it is with the marks
// between its groups.
const (
	idReach = 32
	maxID   = 18
)

// idMarks are what may stand between the groups of a number.
var idMarks = newCharset(" -./()")

// identity looks for an identity number behind its name, which is a member name or stands in text.
func (sc *scan) identity(at, end int, kinds []*idKind) {
	text := sc.text
	if at > 0 && isAlnum(text[at-1]) && !(text[at] < 'a' && text[at-1] >= 'a') || joinedBefore(text, at) {
		// The end of another word, unless a capital sets it off.
		return
	}
	if sc.d.strings[sc.str].Key && sc.v == &sc.raw {
		sc.idKinds, sc.idKey = kinds, sc.str
	}
	sc.column(at, detNationalID, identityCell(kinds))
	// A number has digits: where none are near, nothing is.
	if !sc.idDigits.within(findDigit, text, end, end+idReach+6) {
		return
	}
	if sc.idKindsTried != &kinds[0] {
		sc.idKindsTried, sc.idTried = &kinds[0], 0
	}
	for i, limit := end, min(len(text), end+idReach); i < limit; i++ {
		if !isAlnum(text[i]) || i > end && isAlnum(text[i-1]) {
			if text[i] == '\n' && i > end+2 {
				return
			}
			continue
		}
		if i < sc.idTried || i > 1 && text[i-1] == '.' && isDigit(text[i-2]) {
			continue // behind the name before, or behind a decimal point
		}
		sc.idTried = i + 1
		if stop := identityAt(text, i, kinds); stop > 0 {
			sc.add(detNationalID, i, stop)
			return
		}
	}
}

// joinedBefore reports whether the Greek or Cyrillic word at byte at is the end of another, as "инн" is of "длинн".
func joinedBefore(text string, at int) bool {
	if at == 0 || text[at] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return unicode.In(r, unicode.Greek, unicode.Cyrillic)
}

// findDigit returns where the first digit of a text stands, its length when there is none.
func findDigit(text string) int {
	for i := 0; i < len(text); i++ {
		if isDigit(text[i]) {
			return i
		}
	}
	return len(text)
}

// identityAt returns where a number of one of the kinds ends that begins at byte i, 0 for none.
func identityAt(text string, i int, kinds []*idKind) int {
	digits, letters := uint8(0), uint8(0) // of its first characters
	for n, at := 0, i; n < idHead; at++ {
		switch {
		case at == len(text):
			return 0
		case isDigit(text[at]):
			digits |= 1 << n
		case isLetter(text[at]):
			letters |= 1 << n
		case idMarks[text[at]] && at > i && isAlnum(text[at-1]):
			continue
		default:
			return 0
		}
		n++
	}
	for _, k := range kinds {
		if k.digits&letters|k.letters&digits != 0 {
			continue
		}
		if stop := k.at(text, i); stop > 0 {
			return stop
		}
	}
	return 0
}

// at returns where a number of this kind ends that begins at byte i, 0 for none.
func (k *idKind) at(text string, i int) int {
	var plain [maxID]byte
	marks, dots := 0, 0
	for n := 0; ; i++ {
		if i == len(text) {
			return 0
		}
		c := text[i]
		if idMarks[c] && n > 0 && isAlnum(text[i-1]) {
			marks, dots = marks+1, dots+boolInt(c == '.')
			continue
		}
		switch want := k.pattern[n]; {
		case want == 'd' && !isDigit(c), want == 'A' && !isLetter(c), !isAlnum(c):
			return 0
		}
		if plain[n] = c; c >= 'a' {
			plain[n] = c - 'a' + 'A'
		}
		if n++; n < len(k.pattern) {
			continue
		}
		if marks == 1 && dots == 1 {
			return 0 // a decimal
		}
		i++
		if i < len(text) && (isAlnum(text[i]) || text[i] == '_' || idMarks[text[i]] && i+1 < len(text) && isDigit(text[i+1]) && text[i] != ' ') || !k.check(string(plain[:n])) {
			return 0
		}
		return i
	}
}

// identityMember looks at the value of a member whose name announces an identity number.
func (sc *scan) identityMember(name string, s *String, raw *view) bool {
	var kinds []*idKind
	switch {
	case len(name) == 3 || len(name) > 3 && name[len(name)-4] == '_' && sc.idKey != int(s.name):
		kinds = idShort[strings.ToLower(name[len(name)-3:])]
	case sc.idKey == int(s.name):
		kinds = sc.idKinds
	}
	if kinds == nil || s.Text == "" || !isAlnum(s.Text[0]) {
		return false
	}
	stop := identityAt(s.Text, 0, kinds)
	if stop != len(s.Text) {
		return false
	}
	sc.v, sc.text = raw, raw.text
	sc.hits = append(sc.hits[:0], hit{det: detNationalID, start: 0, end: stop})
	sc.flush()
	return true
}

// printedIDs looks for numbers that are told by the way they are written, among the groups of a cluster of digits:
// those of Brazil, 3.3.3-2 and 2.3.3/4-2 digits, Switzerland, 756.4.4.2, and China, 18 in a row with a date in them.
func (sc *scan) printedIDs() {
	text := sc.text
	for i := range sc.groups {
		g := sc.groups[i:]
		size := func(i int) int {
			if i >= len(g) {
				return 0
			}
			return g[i].end - g[i].start
		}
		var k *idKind
		switch first := g[0]; size(0) {
		case 1:
			if len(g) > 6 && text[first.end] == ' ' && size(5) == 3 && size(6) == 2 {
				k = &idFrench
			}
		case 2:
			if size(1) == 3 && size(2) == 3 && text[first.end] == '.' && g[2].end < len(text) && text[g[2].end] == '/' {
				k = &idCompany
			}
		case 3:
			switch {
			case len(g) < 4 || text[first.end] != '.':
			case size(1) == 3 && size(2) == 3 && size(3) == 2 && text[g[2].end] == '-':
				k = &idBrazilian
			case size(1) == 4 && size(2) == 4 && size(3) == 2 && text[first.start:first.end] == "756":
				k = &idSwiss
			}
		case 6:
			if size(1) == 7 && text[first.end] == '-' && g[1].start == first.end+1 && !recentDate(text[first.start:g[1].end]) {
				k = &idKorean
			}
		case 17, 18:
			k = &idChinese
		}
		if k == nil || g[0].start > 0 && (isAlnum(text[g[0].start-1]) || strings.IndexByte("_-.#/", text[g[0].start-1]) >= 0 && !lineMark(text, g[0].start)) {
			continue
		}
		if stop := k.at(text, g[0].start); stop > 0 {
			sc.add(detNationalID, g[0].start, stop)
			return
		}
	}
}

// recentDate reports whether six digits, with the number of a batch or an order behind them, are rather a date of these
// decades than the birth of a Korean a hundred years ago, or one to come: the digit behind the hyphen tells the century.
func recentDate(s string) bool {
	year := s[:2]
	if strings.IndexByte("1256", s[7]) >= 0 {
		return year >= "10" && year < "35"
	}
	return year >= "30"
}

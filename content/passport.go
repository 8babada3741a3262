package content

import "strings"

// passportWords are the names of the number of a passport.
var passportWords = [...]string{"passport n", "passport #", "passport:", "passport id", "passport_n", "passport_id", "passportn", "passportid", "passport\"", "passport,", "passport is", "reisepass", "passeport", "pasaporte", "passaporto", "passaporte", "paspoortn", "paspoort n", "paszport", "passnummer", "pasaport n", "номер паспорта", "паспорт №", "паспорт:", "护照", "護照", "パスポート番号", "旅券番号", "여권번호"}

func passportKeywords() []keyword {
	var k []keyword
	for _, w := range passportWords {
		k = append(k, keyword{text: foldASCII(w), look: func(sc *scan, at int) { sc.passport(at, at+len(w)) }})
	}
	return append(k, keyword{text: "<<<<", look: (*scan).machineReadable})
}

// passport looks for the number of a passport behind its name, which a member or a column may have.
func (sc *scan) passport(at, end int) {
	text := sc.text
	if at > 0 && isLetter(text[at-1]) || sc.full(detPassport) {
		return
	}
	if sc.d.strings[sc.str].Key && sc.v == &sc.raw {
		sc.passportKey = sc.str + 1
	}
	found := len(sc.hits)
	if sc.column(at, detPassport, passportNumber); len(sc.hits) > found {
		return
	}
	for i, limit := end, min(len(text), end+idReach); i < limit; i++ {
		if !isAlnum(text[i]) || isAlnum(text[i-1]) || text[i-1] == '_' {
			if text[i] == '\n' && i > end+2 {
				return
			}
			continue
		}
		if n := passportNumber(text[i:]); n > 0 {
			sc.add(detPassport, i, i+n)
			return
		}
	}
}

// Bounds of the number of a passport, in characters.
const (
	minPassport = 6
	maxPassport = 9
)

// passportNumber returns the length of the number of a passport at the start of s, 0 for none: capitals and digits, as countries
// write them. Those of letters among digits are as long as all that have them.
func passportNumber(s string) int {
	n := extent(s, 0, maxPassport+1, setPassport)
	if n < minPassport || n > maxPassport || n < len(s) && (isAlnum(s[n]) || strings.IndexByte("_-/.", s[n]) >= 0 && n+1 < len(s) && isAlnum(s[n+1])) {
		return 0
	}
	digits, lead := 0, 0
	for i := 0; i < n; i++ {
		digits += boolInt(isDigit(s[i]))
		if lead == i && !isDigit(s[i]) {
			lead++
		}
	}
	switch {
	case strings.Contains("0123456789", s[lead:n]) || strings.Trim(s[lead:n], s[n-1:n]) == "":
		return 0 // made up, or nothing but one digit
	case digits+lead == n && lead <= 2 && digits >= minPassport && !(lead == 0 && n == len("20310131") && dateLike(s[:n])):
		return n
	case n == maxPassport && digits >= 2 && digits < n:
		return n
	}
	return 0
}

// setPassport are what the numbers of passports are written with.
var setPassport = newCharset(upperLetters + digitChars)

// dateLike reports whether eight digits are a day of the last century or of this one.
func dateLike(s string) bool {
	return (s[:2] == "19" || s[:2] == "20") && s[4:6] >= "01" && s[4:6] <= "12" && s[6:] >= "01" && s[6:] <= "31"
}

// passportMember looks at the value of a member whose name announces the number of a passport.
func (sc *scan) passportMember(s *String, raw *view) bool {
	if sc.passportKey != int(s.name)+1 || passportNumber(s.Text) != len(s.Text) || s.Text == "" {
		return false
	}
	sc.v, sc.text = raw, raw.text
	sc.hits = append(sc.hits[:0], hit{det: detPassport, start: 0, end: len(s.Text)})
	sc.flush()
	return true
}

// The machine-readable zone of a travel document (ICAO 9303): lines of capitals, digits and fillers.
const (
	lineTD1 = 30 // of three
	lineTD2 = 36 // of two
	lineTD3 = 44 // of two
)

var setZone = newCharset(upperLetters + digitChars + "<")

// machineReadable looks at the lines of a machine-readable zone around the fillers at byte at.
func (sc *scan) machineReadable(at int) {
	text := sc.text
	if at < sc.zoneEnd || sc.full(detPassport) {
		return
	}
	start := at
	for start > 0 && at-start <= lineTD3 && setZone[text[start-1]] {
		start--
	}
	end := extent(text, at, lineTD3+1, setZone)
	sc.zoneEnd = end
	switch end - start {
	case lineTD1:
		// The number is in the first line, the dates are in the second.
		next := zoneLine(text, end, lineTD1)
		if next > 0 && strings.IndexByte("ACI", text[start]) >= 0 && zoneChecked(text[start+5:start+15]) && zoneDates(text[next:]) {
			stop := next + lineTD1
			if last := zoneLine(text, stop, lineTD1); last > 0 {
				stop = last + lineTD1
			}
			sc.zone(start, stop)
		}
	case lineTD2, lineTD3:
		n := end - start
		if next := zoneLine(text, end, n); next > 0 && secondZone(text[next:next+n]) {
			sc.zone(start, next+n)
		} else if secondZone(text[start:end]) {
			sc.zone(start, end)
		}
	}
}

// zone reports a machine-readable zone.
func (sc *scan) zone(start, end int) {
	sc.zoneEnd = end
	sc.add(detPassport, start, end)
}

// zoneLine returns where the line of n characters begins that follows byte end, 0 for none.
func zoneLine(text string, end, n int) int {
	i := end
	for i < len(text) && i-end < maxZoneGap && !setZone[text[i]] {
		if text[i] == '\\' && i+1 < len(text) {
			i++ // an escape of a line's end
		}
		i++
	}
	if stop := extent(text, i, n+1, setZone); i == end || stop != i+n && !(stop == i+n+1 && text[stop-1] == '<' && stop < len(text) && text[stop] == '/') {
		return 0 // unless a tag follows
	}
	return i
}

// maxZoneGap is how much may stand between two lines, in bytes: their ends, blanks, quotation marks.
const maxZoneGap = 12

// secondZone reports whether a line of two has a number, dates and the right check digits.
func secondZone(s string) bool { return zoneChecked(s[:10]) && zoneDates(s[13:]) }

// zoneDates reports whether a line goes on with a date of birth, a sex and a date of expiry, both dates with their check digits.
func zoneDates(s string) bool {
	return zoneChecked(s[:7]) && strings.IndexByte("MFX<", s[7]) >= 0 && zoneChecked(s[8:15]) && isDigit(s[0]) && isDigit(s[8])
}

// zoneChecked reports whether the last character of s is the check digit of those before it.
func zoneChecked(s string) bool {
	weights := [...]int{7, 3, 1}
	sum := 0
	for i := 0; i < len(s)-1; i++ {
		switch c := s[i]; {
		case isDigit(c):
			sum += int(c-'0') * weights[i%3]
		case c != '<':
			sum += int(c-'A'+10) * weights[i%3]
		}
	}
	return int(s[len(s)-1]) == '0'+sum%10
}

package content

import "strings"

// ibanLength is the length of an account number by country (ISO 13616 registry), in characters.
var ibanLength = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22,
	"CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22,
	"GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30,
	"KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27,
	"MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33,
	"SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29,
	"VA": 22, "VG": 24, "XK": 20,
}

// ibanLengths is ibanLength by the two letters of a country.
var ibanLengths = func() (t [1 << 10]uint8) {
	for country, n := range ibanLength {
		t[int(country[0]&31)<<5|int(country[1]&31)] = uint8(n)
	}
	return t
}()

// ibanBy returns the length of an account number by the letters of its country, 0 when it has none.
func ibanBy(a, b byte) int { return int(ibanLengths[int(a&31)<<5|int(b&31)]) }

// ibanWord announces an account number, which people write in lower case as well.
var ibanWord = mustIndex("iban")

// ibanGap are the marks between the groups of four.
var ibanGap = newCharset(" -./_")

// iban looks for an account number that starts at byte start, written in one piece or in groups of four.
func (sc *scan) iban(start int) {
	text := sc.text
	if len(text)-start < 15 || !isDigit(text[start+3]) || !isLetter(text[start+1]) {
		return
	}
	lower := text[start] >= 'a'
	want := ibanBy(text[start], text[start+1])
	if want == 0 || lower && !announced(text, start, ibanWord) {
		return
	}
	i, n := start, 0
	for i < len(text) && n < want {
		c := text[i]
		if ibanGap[c] {
			// Groups of four, and nothing else, are set apart.
			if n%4 != 0 || i+1 >= len(text) || !isAlnum(text[i+1]) {
				return
			}
			i++
			continue
		}
		if !isDigit(c) && (!isLetter(c) || lower != (c >= 'a')) {
			return
		}
		n++
		i++
	}
	if n != want || i < len(text) && isAlnum(text[i]) || !ibanValid(strings.ToUpper(text[start:i])) {
		return
	}
	sc.add(detIBAN, start, i)
}

// ibanValid reports whether the remainder of ISO 7064 is right. The marks between groups do not count.
func ibanValid(s string) bool {
	b := make([]byte, 0, 36)
	for i := 0; i < len(s) && len(b) < 36; i++ {
		if !ibanGap[s[i]] {
			b = append(b, s[i])
		}
	}
	if len(b) < 15 || ibanLength[string(b[:2])] != len(b) {
		return false
	}
	rest := 0
	for i := range b {
		c := b[(i+4)%len(b)]
		switch {
		case isDigit(c):
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}

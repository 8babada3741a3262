package content

import (
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// maxPhoneChecks bounds the calls of the phone library in one scan: each costs microseconds, and a list of
// thousands of numbers is judged by its shape as well after that.
const maxPhoneChecks = 4

// phoneWords announce a telephone number.
var phoneWords = mustIndex("phone", "tel", "mobile", "call", "fax", "whatsapp", "cell", "sms")

// phoneWordsAbroad announce a number in its own country's digits, and in bare ones those in phoneWordsBare.
var (
	phoneWordsAbroad = mustIndex("phone", "tel:", "tel.", "tel ", "telefon", "teléfono", "tél", "mobile:", "fax", "whatsapp", "mobil", "电话", "電話", "手机", "手機", "携帯", "전화", "휴대폰", "телефон")
	phoneWordsBare   = mustIndex("电话", "電話", "手机", "手機", "전화")
)

// internationals visits the plus signs whose digits come in ones and twos, which the visit of all digits passes by.
func (sc *scan) internationals() {
	text := sc.text
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '+')
		if i < 0 || from+i+8 > len(text) {
			return
		}
		start := from + i + 1
		from = start
		if text[start] == '(' {
			start++
		}
		if !isDigit(text[start]) || threeDigits(text[start:min(len(text), start+minPairs)]) {
			continue
		}
		end, count := sc.cluster(text, start)
		sc.international(start, end, count)
		from = max(from, end)
	}
}

// minPairs is the length of the shortest number in ones and twos, in bytes: eight digits and three separators.
const minPairs = 11

// threeDigits reports whether s has three digits in a row.
func threeDigits(s string) bool {
	run := 0
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			run = 0
		} else if run++; run == 3 {
			return true
		}
	}
	return false
}

// international looks for a telephone number with its calling code: the digits of a cluster after a plus sign.
func (sc *scan) international(start, end, count int) {
	text := sc.text
	at := start - 1
	if at > 0 && text[at] == '(' {
		at--
	}
	if at < 0 || text[at] != '+' || at > 0 && (isAlnum(text[at-1]) || strings.IndexByte("_-./#=&?+", text[at-1]) >= 0 && !lineMark(text, at)) {
		return
	}
	if count < 8 || count > 15 || !phoneEnds(text, end) {
		return
	}
	if end-at-1 == count && count < 10 && !announced(text, at, phoneWords) {
		return
	}
	if sc.validPhone(text[at:end], "ZZ") {
		sc.add(detPhone, at, end)
	}
}

// national looks for a telephone number in its usual grouping after a word that says so. Bare digits are never
// one.
func (sc *scan) national(start, end, count int) {
	text := sc.text
	if count < 7 || count > 15 || !phoneEnds(text, end) {
		return
	}
	if end-start == count {
		// A mobile number in China is written in one piece.
		if count == 11 && text[start] == '1' && text[start+1] >= '3' && outside(text, start, end) && announced(text, start, phoneWordsBare) {
			sc.add(detPhone, start, end)
		}
		return
	}
	if text[start] == '0' && text[start+1] != '0' && count >= 9 && count <= 11 && outside(text, start, end) && announced(text, start, phoneWordsAbroad) {
		// Elsewhere numbers begin with a naught inside their country.
		sc.add(detPhone, start, end)
		return
	}
	if count != usDigits && !(count == usDigits+1 && text[start] == '1') {
		return
	}
	if start > 0 && text[start-1] == '(' {
		start--
	}
	if start > 0 && (isAlnum(text[start-1]) || strings.IndexByte("_-./#=&?+", text[start-1]) >= 0) || !announced(text, start, phoneWords) {
		return
	}
	if sc.validPhone(text[start:end], "US") {
		sc.add(detPhone, start, end)
	}
}

// phoneEnds reports whether a number may end at byte end.
func phoneEnds(text string, end int) bool {
	return end == len(text) || !phoneJoins[text[end]]
}

// phoneJoins are what makes the digits before it part of something longer.
var phoneJoins = newCharset(lowerLetters + upperLetters + digitChars + "_@/-")

// callingCodes are the country codes in use, by their value.
var callingCodes = sync.OnceValue(func() *[1000]bool {
	var t [1000]bool
	for code, ok := range phonenumbers.GetSupportedCallingCodes() {
		t[code] = ok
	}
	return &t
})

// usDigits is how many digits a number has in North America, without its calling code, which is 1.
const usDigits = 10

// validPhone judges a number by its shape, and asks the library as long as it may.
func (sc *scan) validPhone(s, region string) bool {
	var d [15]byte
	n := 0
	for i := 0; i < len(s) && n < len(d); i++ {
		if isDigit(s[i]) {
			d[n] = s[i] - '0'
			n++
		}
	}
	if region == "US" {
		if d[0] == 1 {
			copy(d[:], d[1:])
			n--
		}
		if n != usDigits || d[0] < 2 || d[3] < 2 {
			return false
		}
	} else {
		codes := callingCodes()
		if one := int(d[0]); !codes[one] && !codes[one*10+int(d[1])] && !codes[one*100+int(d[1])*10+int(d[2])] {
			return false
		}
	}
	if sc.phones >= maxPhoneChecks {
		return true
	}
	sc.phones++
	number, err := phonenumbers.Parse(s, region)
	return err == nil && phonenumbers.IsValidNumber(number)
}

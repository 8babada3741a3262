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
var phoneWords = []string{"phone", "tel", "mobile", "call", "fax", "whatsapp", "cell", "sms"}

// internationals visits every plus sign with a digit after it.
func (sc *scan) internationals() {
	text := sc.text
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '+')
		if i < 0 || from+i+8 > len(text) {
			return
		}
		at := from + i
		from = at + 1
		if !isDigit(text[at+1]) && text[at+1] != '(' || at > 0 && (isAlnum(text[at-1]) || strings.IndexByte("_-./#=&?+", text[at-1]) >= 0 && !lineMark(text, at)) {
			continue
		}
		start := at + 1
		if text[start] == '(' {
			start++
		}
		end, count := sc.cluster(text, start)
		from = max(from, end)
		if count < 8 || count > 15 || !phoneEnds(text, end) {
			continue
		}
		if end-at-1 == count && count < 10 && !contextWord(text, at, phoneWords...) {
			continue
		}
		if sc.validPhone(text[at:end], "ZZ") {
			sc.add(detPhone, at, end)
		}
	}
}

// national looks for a telephone number in its usual grouping after a word that says so. Bare digits are never
// one.
func (sc *scan) national(start, end, count int) {
	text := sc.text
	if count < 7 || count > 15 || end-start == count || !phoneEnds(text, end) {
		return
	}
	if start > 0 && text[start-1] == '(' {
		start--
	}
	if start > 0 && (isAlnum(text[start-1]) || strings.IndexByte("_-./#=&?+", text[start-1]) >= 0) || !contextWord(text, start, phoneWords...) {
		return
	}
	if sc.validPhone(text[start:end], "US") {
		sc.add(detPhone, start, end)
	}
}

// phoneEnds reports whether a number may end at byte end.
func phoneEnds(text string, end int) bool {
	return end == len(text) || !isAlnum(text[end]) && strings.IndexByte("_@/-", text[end]) < 0
}

// callingCodes are the country codes in use.
var callingCodes = sync.OnceValue(phonenumbers.GetSupportedCallingCodes)

// validPhone judges a number by its shape, and asks the library as long as it may.
func (sc *scan) validPhone(s, region string) bool {
	d := digitsOf(s)
	if region == "US" {
		d = strings.TrimPrefix(d, "1")
		if len(d) != 10 || d[0] < '2' || d[3] < '2' {
			return false
		}
	} else if codes := callingCodes(); !codes[int(d[0]-'0')] && !codes[number3(d[:2])] && !codes[number3(d[:3])] {
		return false
	}
	if sc.phones >= maxPhoneChecks {
		return true
	}
	sc.phones++
	n, err := phonenumbers.Parse(s, region)
	return err == nil && phonenumbers.IsValidNumber(n)
}

func number3(d string) int {
	n := 0
	for i := range len(d) {
		n = n*10 + int(d[i]-'0')
	}
	return n
}

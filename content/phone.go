package content

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// maxPhoneChecks bounds the calls of the phone library in one scan: each costs microseconds, and a list of
// thousands of numbers is judged by its shape as well after that.
const maxPhoneChecks = 16

// phone looks for a telephone number: international with its plus sign, or national in its usual grouping
// after a word that says so. Bare digits are never one.
func (sc *scan) phone(start, end, count int) {
	text := sc.text
	if count < 7 || count > 15 {
		return
	}
	if start > 0 && text[start-1] == '(' {
		start--
	}
	international := start > 0 && text[start-1] == '+'
	if international {
		start--
	}
	if start > 0 && (isAlnum(text[start-1]) || strings.IndexByte("_-./#=&?", text[start-1]) >= 0) {
		return
	}
	if end < len(text) && (isAlnum(text[end]) || strings.IndexByte("_@/", text[end]) >= 0 || text[end] == '-') {
		return
	}
	region := ""
	if !international {
		if end-start == count || strings.IndexByte(text[start:end], '.') == 1 {
			return
		}
		if !contextWord(text, start, "phone", "tel", "mobile", "call", "fax", "whatsapp", "cell", "sms") {
			return
		}
		region = "US"
	} else if end-start-1 == count && !contextWord(text, start, "phone", "tel", "mobile", "call", "fax", "whatsapp", "cell", "sms", "number", "contact") && count < 10 {
		return
	}
	if sc.phones < maxPhoneChecks {
		sc.phones++
		n, err := phonenumbers.Parse(text[start:end], region)
		if err != nil || !phonenumbers.IsValidNumber(n) {
			return
		}
	} else if count < 10 {
		return
	}
	sc.add(detPhone, start, end)
}

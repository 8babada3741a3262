package content

import "strings"

// What lets somebody in once: the codes that stand in for a lost device, and the addresses that set a new password.

func onetimeKeywords() []keyword {
	var k []keyword
	for _, w := range [...]string{"recovery codes", "backup codes", "recovery-codes", "backup-codes", "recovery_codes", "backup_codes"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.spareCodes(at + len(w)) }})
	}
	for _, w := range [...]string{"password/reset/", "password-reset/", "password_reset/", "reset-password/", "reset_password/"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.resetAddress(at + len(w)) }})
	}
	return k
}

// Bounds of spare codes, in bytes: one of them, and how far behind their name they are looked for; and how many make a list.
const (
	minSpareCode   = 8
	maxSpareCode   = 24
	spareCodeReach = 600
	minSpareCodes  = 3
)

var setSpareCode = newCharset(lowerLetters + upperLetters + digitChars + "-")

// spareCodes looks at the list of codes behind its name at byte at: three or more words of one form, of letters and digits in turn,
// with nothing but the marks and numbers of a list between them.
func (sc *scan) spareCodes(at int) {
	if at < sc.spareTo {
		return
	}
	text := sc.text
	var found [16][2]int
	n, turns, i := 0, 0, at
	for limit := min(len(text), at+spareCodeReach); i < limit && n < len(found); {
		if !isAlnum(text[i]) {
			if text[i] >= 0x80 {
				break
			}
			i++
			continue
		}
		end := extent(text, i, maxSpareCode+1, setSpareCode)
		switch v := text[i:end]; {
		case len(v) >= minSpareCode && len(v) <= maxSpareCode && (n == 0 || sameForm(v, text[found[0][0]:found[0][1]])) && !isUUID(v) && !placeholder(v):
			found[n] = [2]int{i, end}
			n++
			turns += turnsOf(v)
		case len(v) > 2 || strings.Trim(v, digitChars) != "":
			limit = i // no list, or its end
		}
		i = end
	}
	sc.spareTo = i
	if n < minSpareCodes || turns < n*minTurns {
		return
	}
	for _, f := range found[:n] {
		sc.add(detCredential, f[0], f[1])
	}
}

// minTurns is how often codes change between letters and digits, at least and on average: a word with a number behind it, or a date,
// does so once.
const minTurns = 2

// sameForm reports whether two codes are of one length, with hyphens at the same places.
func sameForm(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if (a[i] == '-') != (b[i] == '-') {
			return false
		}
	}
	return true
}

// turnsOf counts how often v changes between letters and digits.
func turnsOf(v string) int {
	n := 0
	for i := 1; i < len(v); i++ {
		n += boolInt(isDigit(v[i-1]) && isLetter(v[i]) || isLetter(v[i-1]) && isDigit(v[i]))
	}
	return n
}

// minReset is the shortest token in the path of an address that sets a password, in bytes.
const minReset = 20

// resetAddress looks at what follows in the path of an address that sets a new password.
func (sc *scan) resetAddress(at int) {
	end := extent(sc.text, at, maxCredential, setToken)
	if v := sc.text[at:end]; len(v) >= minReset && mixed(v) && !wordsOrPath(v) && !placeholder(v) {
		sc.add(detCredential, at, end)
	}
}

// encodedPassword reports whether v, which has no digit, is a password in base64, as the secrets of Kubernetes hold it.
func encodedPassword(v string) bool {
	if len(v) < 12 || len(v)%4 != 0 || len(v) > maxBare || !of(v, 0, len(v), setBase64) {
		return false
	}
	plain := decode64(v)
	if len(plain) < 6 {
		return false
	}
	for _, c := range plain {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

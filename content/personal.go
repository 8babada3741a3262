package content

import (
	"strconv"
	"strings"
)

// emails looks at every @: for an address of mail, and for a password before a host.
func (sc *scan) emails() {
	text := sc.text
	for at := strings.IndexByte(text, '@'); at >= 0; {
		if at > 0 && at+4 < len(text) && isAlnum(text[at+1]) && !sc.hostPassword(at) && setEmail[text[at-1]] {
			sc.email(at)
		}
		if at++; at < len(text) && text[at] == '@' {
			continue
		}
		next := strings.IndexByte(text[at:], '@')
		if next < 0 {
			return
		}
		at += next
	}
}

// Bounds of RFC 5321 on the two parts of an address, in bytes; the least is with its @.
const (
	maxLocal  = 64
	maxDomain = 253
	minDomain = len("@x.yz")
)

// notTLD reports whether the last label looks like that of a domain but is a file's suffix or a version's.
func notTLD(label string) bool {
	switch label {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "js", "mjs", "ts", "tsx", "jsx", "json", "html", "yml", "yaml", "txt", "tgz", "zip",
		"dev0", "alpha", "beta", "rc", "pdf", "exe":
		return true
	}
	return false
}

// email looks at the @ at byte at.
func (sc *scan) email(at int) {
	text := sc.text
	end, dot := at+1, -1
	for end < len(text) && end-at <= maxDomain && setHostname[text[end]] {
		if text[end] == '.' {
			if text[end-1] == '.' {
				break
			}
			dot = end
		}
		end++
	}
	if end-at < minDomain {
		return
	}
	if dot == end-1 {
		// The end of a sentence.
		end = dot
		dot = at + 1 + strings.LastIndexByte(text[at+1:end], '.')
	}
	if dot <= at+1 || end-dot < 3 || end-dot > 25 {
		return
	}
	domain, top := text[at+1:end], text[dot+1:end]
	for i := 0; i < len(top); i++ {
		if !isLetter(top[i]) && !strings.HasPrefix(top, "xn--") {
			return
		}
	}
	if notTLD(strings.ToLower(top)) || isDigit(domain[0]) && versionLike(domain) {
		return
	}
	start := at
	for start > 0 && at-start < maxLocal && setEmail[text[start-1]] {
		start--
	}
	for start < at && !isAlnum(text[start]) && text[start] != '_' {
		start++
	}
	if start == at || text[at-1] == '.' {
		return
	}
	if start > 0 {
		switch text[start-1] {
		case '@':
			// @user@server names an account.
			return
		case '/':
			// https://user@host is no address either.
			if start > 1 && text[start-2] == '/' {
				return
			}
		case ':':
			if urlBefore(text, start) {
				return
			}
		}
	}
	if text[start:at] == "git" && end < len(text) && text[end] == ':' {
		return
	}
	sc.add(detEmail, start, end)
}

// versionLike reports whether a domain starts as a version does: digits, a dot, digits.
func versionLike(domain string) bool {
	i := 0
	for i < len(domain) && isDigit(domain[i]) {
		i++
	}
	return i < len(domain) && (domain[i] == 'x' || domain[i] == '.' && i+1 < len(domain) && isDigit(domain[i+1]))
}

// urlBefore reports whether the word that ends at byte end has the two slashes of a URL before it.
func urlBefore(text string, end int) bool {
	for i := end - 1; i > 0 && end-i < 96; i-- {
		switch text[i] {
		case ' ', '\n', '\t', '"', '\'', '<', ',':
			return false
		case '/':
			return text[i-1] == '/'
		}
	}
	return false
}

// maxCluster bounds a group of digits with single separators, in bytes; nothing that is looked for is longer.
const maxCluster = 40

// minNumber is how many digits the shortest number has that is looked for.
const minNumber = 7

// digits visits every group of digits: stretches of digits with single separators between them.
func (sc *scan) digits() {
	text := sc.text
	from := 0 // end of the cluster before
	for _, n := range sc.numerous {
		// Every third byte: a group worth a look has three digits in a row.
		for i := max(n.start, from) + 2; i < n.end; i += 3 {
			if !isDigit(text[i]) {
				continue
			}
			if !(isDigit(text[i-1]) && (isDigit(text[i-2]) || i+1 < len(text) && isDigit(text[i+1]))) && !(i+2 < len(text) && isDigit(text[i+1]) && isDigit(text[i+2])) {
				continue
			}
			start := clusterStart(text, i, from)
			end, count := sc.cluster(text, start)
			i, from = max(i, end-2), end
			if count >= minNumber {
				sc.number(start, end, count)
			}
		}
	}
}

// number looks at the digits of a cluster, which are in sc.groups.
func (sc *scan) number(start, end, count int) {
	if len(sc.groups) == 1 && plainLength(count) {
		sc.international(start, end, count)
		return
	}
	if !sc.card(sc.groups) {
		sc.announcedCard(start, end, count)
	}
	sc.ssn(start, end, count)
	sc.national(start, end, count)
	sc.printedIDs()
	sc.international(start, end, count)
}

// plainLength reports whether no number of so many digits is told in one piece but that of a telephone behind a plus sign: none
// of a card, nor of social security, nor of a mobile telephone in China. Times and most keys of tables are as long.
func plainLength(count int) bool { return count < minCard && count != 9 && count != 11 }

// group is a run of digits inside a cluster.
type group struct{ start, end int }

// maxDigitGap is how much may stand between two groups of digits, in bytes.
const maxDigitGap = 2

// digitGap is what stands between groups of digits.
var digitGap = newCharset(" -.()")

// clusterStart returns where the group that byte i is in begins, not before byte from.
func clusterStart(text string, i, from int) int {
	start := i
	for {
		for start > from && isDigit(text[start-1]) {
			start--
		}
		j := start
		for j > from && start-j < maxDigitGap && digitGap[text[j-1]] {
			j--
		}
		if j == start || j <= from || !isDigit(text[j-1]) || i-j > maxCluster {
			return start
		}
		start = j - 1
	}
}

// cluster reads the digits at byte start, over single separators, until something else comes. A run longer
// than anything that is looked for ends it. The runs are left in sc.groups.
func (sc *scan) cluster(text string, start int) (end, count int) {
	sc.groups = sc.groups[:0]
	i := start
	for i < len(text) {
		g := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		sc.groups = append(sc.groups, group{g, i})
		count += i - g
		end = i
		j := i
		for j < len(text) && j-i < maxDigitGap && digitGap[text[j]] {
			j++
		}
		if j == i || j >= len(text) || !isDigit(text[j]) || j-start > 2*maxCluster {
			return end, count
		}
		i = j
	}
	return end, count
}

// outside reports whether text[start:end] stands alone: not a slice of an identifier or of a decimal number.
func outside(text string, start, end int) bool {
	if start > 0 {
		c := text[start-1]
		sign := (c == '-' || c == '+') && !lineMark(text, start)
		if isAlnum(c) || c == '_' || c == '.' || sign || c == '#' {
			return false
		}
	}
	if end < len(text) {
		c := text[end]
		if isAlnum(c) || c == '_' || c == '-' || c == '@' || (c == '.' || c == ',') && end+1 < len(text) && isDigit(text[end+1]) {
			return false
		}
	}
	return true
}

// lineMark reports whether the sign before byte i is the mark of a list or of a patch: the first of its line.
func lineMark(text string, i int) bool {
	return (text[i-1] == '-' || text[i-1] == '+') && (i == 1 || text[i-2] == '\n')
}

// card looks for payment cards among the groups of a cluster: one run of digits, or the groupings that are
// printed on cards. It reports whether all of the cluster was judged as one number.
func (sc *scan) card(groups []group) (whole bool) {
	text := sc.text
	for i := 0; i < len(groups); i++ {
		g := groups[i]
		n := g.end - g.start
		if n >= 14 && n <= 19 {
			if (i == 0 || text[g.start-1] == ' ') && (outside(text, g.start, g.end) || onTrack(text, g.start, g.end)) {
				sc.cardAt(g.start, g.end)
			}
			continue
		}
		if n != 4 {
			continue
		}
		j := cardGroups(text, groups[i:])
		if j == 0 {
			continue
		}
		end := groups[i+j-1].end
		if outside(text, g.start, end) {
			if !sc.evenCard(g.start, end) {
				sc.cardAt(g.start, end)
			}
			whole = j == len(groups)
			i += j - 1
		}
	}
	return whole
}

// onTrack reports whether the number stands as on the first track of a card, or in a row of a table before its expiry
// in four digits.
func onTrack(text string, start, end int) bool {
	if start > 1 && text[start-1] == 'B' && text[start-2] == '%' {
		return end < len(text) && text[end] == '^'
	}
	if end+5 > len(text) || text[end] != ',' || start > 0 && text[start-1] != ',' && text[start-1] != '\n' || !of(text, end+1, end+5, setDigits) || end+5 < len(text) && isAlnum(text[end+5]) {
		return false
	}
	month := (text[end+1]-'0')*10 + text[end+2] - '0'
	return month >= 1 && month <= 12
}

// cardGroups returns how many groups from the first form a printed card number: 4-4-4-4, with up to three
// digits more, or 4-6-4 or 4-6-5. All separators are the same.
func cardGroups(text string, g []group) int {
	size := func(i int) int {
		if i >= len(g) || i > 0 && (g[i].start-g[i-1].end != 1 || text[g[i-1].end] != text[g[0].end]) {
			return 0
		}
		return g[i].end - g[i].start
	}
	if len(g) < 3 || strings.IndexByte(" -.", text[g[0].end]) < 0 {
		return 0
	}
	switch {
	case size(1) == 4 && size(2) == 4 && size(3) == 4:
		if n := size(4); n > 0 && n <= 3 {
			return 5
		}
		return 4
	case size(1) == 6 && (size(2) == 4 || size(2) == 5):
		return 3
	}
	return 0
}

func (sc *scan) cardAt(start, end int) {
	var buf [19]byte
	n := 0
	for i := start; i < end && n < len(buf); i++ {
		if isDigit(sc.text[i]) {
			buf[n] = sc.text[i]
			n++
		}
	}
	d := string(buf[:n])
	if !cardIssuer(d) || !luhn(d) || identifierBefore(sc.text, start) {
		return
	}
	if strings.Trim(d, d[:1]) == "" {
		return
	}
	sc.add(detCard, start, end)
}

// identifierWords name numbers that are not cards; one of them right before the digits decides.
var identifierWords = map[string]bool{
	"id": true, "ids": true, "order": true, "node": true, "sku": true, "ref": true, "invoice": true, "isbn": true, "tracking": true, "timestamp": true,
	"epoch": true, "ts": true, "uid": true, "gid": true, "imei": true, "barcode": true, "ean": true, "upc": true, "commit": true, "build": true,
	"trace": true, "span": true, "ticket": true, "serial": true,
}

// identifierBefore reports whether the word before byte start says that a number is an identifier.
func identifierBefore(text string, start int) bool {
	i := start
	for n := 0; i > 0 && n < 4 && strings.IndexByte(" :=#\"'", text[i-1]) >= 0; n++ {
		i--
	}
	end := i
	for i > 0 && end-i < 16 && isLetter(text[i-1]) {
		i--
	}
	return i < end && identifierWords[strings.ToLower(text[i:end])]
}

// cardIssuer reports whether the digits have a length and a leading range that an issuer uses.
func cardIssuer(d string) bool {
	n := len(d)
	if n < 14 || n > 19 {
		return false
	}
	p := func(k int) int {
		v := 0
		for i := 0; i < k; i++ {
			v = v*10 + int(d[i]-'0')
		}
		return v
	}
	p2, p3, p4 := p(2), p(3), p(4)
	switch {
	case d[0] == '4':
		return n == 16 || n == 19
	case p2 >= 51 && p2 <= 55, p4 >= 2221 && p4 <= 2720:
		return n == 16
	case p2 == 34 || p2 == 37:
		return n == 15
	case p4 == 6011, p3 >= 644 && p3 <= 649, p2 == 65, p4 >= 3528 && p4 <= 3589, p2 == 62:
		return n >= 16
	case p3 >= 300 && p3 <= 305, p2 == 36, p2 == 38, p2 == 39:
		return n == 14
	case p4 >= 2200 && p4 <= 2204:
		return n >= 16
	case p4 == 9792:
		return n == 16
	case p4 == 5018 || p4 == 5020 || p4 == 5038 || p4 == 6304 || p4 == 6759 || p4 == 6761 || p4 == 6763:
		return n >= 16
	}
	return false
}

// luhn reports whether the digits carry a valid check digit (ISO/IEC 7812-1).
func luhn(d string) bool {
	const doubled = "\x00\x02\x04\x06\x08\x01\x03\x05\x07\x09" // the digits of twice a digit, added up
	sum := 0
	for i := len(d) - 1; i >= 0; i -= 2 {
		sum += int(d[i] - '0')
		if i > 0 {
			sum += int(doubled[d[i-1]-'0'])
		}
	}
	return len(d) > 1 && sum%10 == 0
}

// digitsOf returns the ASCII digits of s.
func digitsOf(s string) string {
	var room [maxCluster]byte
	b := room[:0]
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// contextBefore is how far before a number a word that explains it is looked for, in bytes.
const contextBefore = 32

// announced reports whether one of the words stands shortly before byte start.
func announced(text string, start int, words *keywordIndex) bool {
	return words.any(text[max(0, start-contextBefore):start])
}

// ssnWords announce a social security number.
var ssnWords = mustIndex("ssn", "social security", "social_security")

// ssn looks for a United States social security number: written 3-2-4, or any way after its name.
func (sc *scan) ssn(start, end, count int) {
	text := sc.text
	for i, g := range sc.groups {
		// Another number may stand before it.
		if end := g.start + 11; g.end-g.start == 3 && i+2 < len(sc.groups) && sc.groups[i+2].end == end && text[g.start+3] == '-' && text[g.start+6] == '-' {
			if outside(text, g.start, end) && ssnValid(digitsOf(text[g.start:end])) {
				sc.add(detSSN, g.start, end)
			}
			return
		}
	}
	if count != 9 || !outside(text, start, end) {
		return
	}
	if ssnValid(digitsOf(text[start:end])) && announced(text, start, ssnWords) {
		sc.add(detSSN, start, end)
	}
}

// ssnValid reports whether nine digits are a number that can have been issued; two that were only ever
// printed in advertisements cannot.
func ssnValid(d string) bool {
	return d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000" &&
		d != "078051120" && d != "219099999"
}

// numberDetector returns the detector that a JSON number under this member name is a match of, or nil.
func numberDetector(key, text string) *detector {
	text = wholeNumber(text)
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			return nil
		}
	}
	l := strings.ToLower(key)
	if strings.HasPrefix(l, "s") {
		if len(text) == 9 && ssnValid(text) {
			return detSSN
		}
		return nil
	}
	if cardIssuer(text) && luhn(text) {
		return detCard
	}
	return nil
}

// wholeNumber returns a number of JSON without a fraction or an exponent where it is whole, and the number as it is else: programs
// that keep all numbers as fractions write 4.111111111111111e15.
func wholeNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	mantissa, exponent := text, 0
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		n, err := strconv.Atoi(text[e+1:])
		if err != nil {
			return text
		}
		mantissa, exponent = text[:e], n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	zeros := len(whole) + exponent - len(digits)
	if zeros < 0 || zeros > maxNumber {
		return text
	}
	return strings.TrimLeft(digits+strings.Repeat("0", zeros), "0")
}

// maxNumber is how many digits no number that is looked for has.
const maxNumber = 32

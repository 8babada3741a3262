package content

// cardWords announce the number of a card. Behind one, any grouping is a way to write it.
var cardWords = mustIndex("card", "visa", "mastercard", "amex", "credit", "debit", "payment")

// Bounds of the number of a card: its digits, those of a printed group, and the words of one length that are looked
// at together.
const (
	minCard   = 14
	maxCard   = 19
	cardGroup = 4
	maxGroups = 20
)

// announcedCard looks for the number of a card in a cluster of digits, grouped in whatever way, after a word for it.
func (sc *scan) announcedCard(start, end, count int) {
	if count >= minCard && count <= maxCard && len(sc.groups) > 1 && oneGap(sc.text, sc.groups) && outside(sc.text, start, end) && announced(sc.text, start, cardWords) {
		sc.cardAt(start, end)
	}
}

// oneGap reports whether the same stands between all groups.
func oneGap(text string, g []group) bool {
	for i := 2; i < len(g); i++ {
		if text[g[i-1].end:g[i].start] != text[g[0].end:g[1].start] {
			return false
		}
	}
	return true
}

// evenNumber looks at words of one length for the groups of a card's number with a gap that the visit of all digits
// does not step over: 4111 / 1111 / 1111 / 1111, 4|1|1|1…
func (sc *scan) evenNumber(w evenWords) {
	text := sc.text
	var groups [maxGroups]group
	n := 0
	flush := func() {
		if n > 0 && n <= maxGroups {
			sc.groupsOfCard(groups[:n])
		}
		n = 0
	}
	if w.end-w.start > maxGroups*(w.size+maxEvenGap) {
		// A table of numbers.
		return
	}
	for i := w.start; i < w.end; {
		class := byteClass[text[i]]
		if class&(classLetter|classDigit) == 0 {
			i++
			continue
		}
		start, all := i, class
		for i++; i < len(text) && i-start < w.size && byteClass[text[i]]&(classLetter|classDigit) != 0; i++ {
			all |= byteClass[text[i]]
		}
		if all&classLetter != 0 || n == maxGroups {
			flush()
		} else {
			groups[n] = group{start, i}
			n++
		}
	}
	flush()
}

// groupsOfCard looks at the groups of a number that stand alone, of one length.
func (sc *scan) groupsOfCard(g []group) {
	if !oneGap(sc.text, g) {
		// What follows may be another number.
		for len(g) > cardGroup && !oneGap(sc.text, g) {
			g = g[:len(g)-1]
		}
	}
	size := g[0].end - g[0].start
	start, end := g[0].start, g[len(g)-1].end
	if n := len(g) * size; n < minCard || n > maxCard || size < 1 || !outside(sc.text, start, end) {
		return
	}
	gap := sc.text[g[0].end:g[1].start]
	if size == cardGroup && plainGap(gap) || announced(sc.text, start, cardWords) {
		sc.evenCards = append(sc.evenCards, group{start, end})
		sc.cardAt(start, end)
	}
}

// plainGap reports whether what stands between two groups sets them apart in no list or table.
func plainGap(gap string) bool {
	for i := 0; i < len(gap); i++ {
		if listGap[gap[i]] {
			return false
		}
	}
	return true
}

var listGap = newCharset(",;:|\t\n\r")

// evenCard reports whether text[start:end] was judged among the words of one length. Calls come with rising places.
func (sc *scan) evenCard(start, end int) bool {
	for sc.evenCardAt < len(sc.evenCards) && sc.evenCards[sc.evenCardAt].start < start {
		sc.evenCardAt++
	}
	return sc.evenCardAt < len(sc.evenCards) && sc.evenCards[sc.evenCardAt] == group{start, end}
}

// Bounds of a number whose groups are joined by marks that words have too, in bytes.
const (
	minGrouped = 11
	maxGrouped = 38
)

// groupedNumber looks at a word of nothing but digits and the marks of words: 4111/1111/1111/1111, 536_90_4399.
func (sc *scan) groupedNumber(start, end int) {
	text := sc.text
	var groups [maxGroups]group
	n, digits := 0, 0
	for i := start; i < end; {
		if !isDigit(text[i]) {
			i++
			continue
		}
		if n == len(groups) {
			return
		}
		first := i
		for i < end && isDigit(text[i]) {
			i++
		}
		groups[n] = group{first, i}
		digits += i - first
		n++
	}
	if n < 3 || !oneGap(text, groups[:n]) || groups[0].start != start || groups[n-1].end != end || !outside(text, start, end) {
		return
	}
	size := func(i int) int { return groups[i].end - groups[i].start }
	switch {
	case n == 3 && size(0) == 3 && size(1) == 2 && size(2) == 4:
		if ssnValid(digitsOf(text[start:end])) && announced(text, start, ssnWords) {
			sc.add(detSSN, start, end)
		}
	case digits < minCard || digits > maxCard:
	case n >= cardGroup && size(0) == cardGroup && size(1) == cardGroup && size(2) == cardGroup && size(3) == cardGroup,
		n == 3 && size(0) == cardGroup && size(1) == 6 && (size(2) == 4 || size(2) == 5),
		announced(text, start, cardWords):
		sc.cardAt(start, end)
	}
}

package content

import "strings"

// reached is how far families of detectors have read a view: what keeps texts full of beginnings linear. It says
// nothing about any other view.
type reached struct {
	markup, fenced, value, verbs int
	said                         int   // the end of the last value of a name that says little
	verbSaid                     bool  // the last of these verbs was not talked about
	turned, noted                int   // takeovers and notes to a machine
	takeovers                    ahead // what is promised and asked for in them
	azure                        int
	soft, softEnd                int // soft hyphens around single letters in a row, and where the last one ended
	pem                          pemMemo
	putty                        ahead
	svg, scripts, links          ahead
	accounts                     ahead
	authTokens                   int
	commands                     [readCommands]int // by command
	cookieLine, calledTo         int
	spareTo                      int // the end of a list of codes
	inserts                      insertMemo
	driverTo                     int // the end of the last address of a driver
	seamTo                       int // of the pieces that were followed as those of a token
	ats, plusOnes, closings      ahead
	lineEnds                     ahead
	reports, idDigits, asks      ahead
	tagOrders                    ahead // in pseudo-tags
	brokenLines                  int   // lines before it were tried together, up to where their text breaks off
	answers, assistants, calls   ahead // in forged turns and calls
	unasked                      ahead // behind a consent
	idTried                      int   // numbers that begin before it, for the name that idKindsTried are of
	idKindsTried                 **idKind
	zoneEnd                      int       // of the last line of a machine-readable zone
	table, logins                tableMemo // that were read last: of numbers, and of passwords
	openedResults                uint32    // the elements of resultEnds that began, by their number
	lines                        lineMemo
	stops, brackets, tags        behind
	sentences                    behind
	comments                     commentEnds
	handled, handledSends        ahead
	srcdocs                      ahead
	marks                        int // markup behind a verb
	evenCardAt                   int // the first of the cards among words of one length that was not passed
}

// ahead remembers the first place of something at or after another, so that looks whose windows overlap read each
// byte once.
type ahead struct {
	from, at int
	known    bool
}

// within reports whether what find looks for begins in text[lo:hi]. find returns the first place in a text, or its
// length. Calls come with rising lo, nearly always.
func (a *ahead) within(find func(string) int, text string, lo, hi int) bool {
	return a.next(find, text, lo) < min(hi, len(text))
}

// next returns the first place at or after lo, the length of text when there is none.
func (a *ahead) next(find func(string) int, text string, lo int) int {
	if a.known && lo < a.from {
		// A look a little before the last one.
		if at := lo + find(text[lo:min(len(text), a.from+aheadBack)]); at < a.from {
			return at
		}
		return a.at
	}
	if !a.known || lo > a.at {
		a.from, a.at, a.known = lo, lo+find(text[lo:]), true
	}
	return a.at
}

// aheadBack is no less than the length of what is looked for, in bytes.
const aheadBack = 64

// behind remembers the last byte of a set before another, so that looks that go back read each byte once.
type behind struct{ read, last int } // last is one more than its place

// before returns where the last byte of set before byte at stands, -1 for none. Calls come with rising at, nearly
// always.
func (b *behind) before(set *charset, text string, at int) int {
	if at < b.last {
		// A look a little before the last one.
		for i := at - 1; i >= 0; i-- {
			if set[text[i]] {
				return i
			}
		}
		return -1
	}
	// From the end: what stands before the last one need not be read.
	for i := at - 1; i >= b.read; i-- {
		if set[text[i]] {
			b.last = i + 1
			break
		}
	}
	b.read = max(b.read, at)
	return b.last - 1
}

// finding returns a function that finds s, for ahead.
func finding(s string) func(string) int {
	return func(text string) int {
		if i := strings.Index(text, s); i >= 0 {
			return i
		}
		return len(text)
	}
}

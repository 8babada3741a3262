package content

import "strings"

// searchNames are the parameters of addresses that say what is looked for.
var searchNames = [...]string{"q", "query", "search", "search_query", "term", "terms", "keyword", "keywords", "text", "wd", "p", "k", "s"}

// searchedFor reports whether a phrase, whose first word is text[at:end], is all that an address looks for: who searches
// for the wording of an attack orders nothing.
func searchedFor(text string, at, end, stop int) bool {
	i := at - 1
	for from := max(0, at-searchReach); i > from && (isAlnum(text[i]) || text[i] == '+' || text[i] == '%' || text[i] == '-' || text[i] == ' ' && text[end] == ' '); i-- {
	}
	if i < 2 || text[i] != '=' {
		return false
	}
	name := i
	for name > 0 && i-name < longWord && (isAlnum(text[name-1]) || text[name-1] == '_') {
		name--
	}
	if !exactly(text[name:i], searchNames[:]) || name == 0 || text[name-1] != '?' && text[name-1] != '&' {
		return false
	}
	rest := text[stop:]
	switch {
	case rest == "":
		return true
	case text[end] != ' ' && rest[0] <= ' ', text[end] == ' ' && strings.HasPrefix(rest, " HTTP/"):
		return true
	}
	return strings.IndexByte("&#)>\\\"'", rest[0]) >= 0
}

// searchReach is how far before a phrase the parameter may begin that it is the end of, in bytes.
const searchReach = 64

// exactly reports whether s is one of the words, ASCII case ignored.
func exactly(s string, words []string) bool {
	for _, w := range words {
		if strings.EqualFold(s, w) {
			return true
		}
	}
	return false
}

package content

import "strings"

// searchNames are the parameters of addresses that say what is looked for.
var searchNames = [...]string{"q", "query", "search", "search_query", "term", "terms", "keyword", "keywords", "text", "wd", "p", "k", "s"}

// searchedFor reports whether a phrase, whose first word is text[at:end], is all that an address looks for: who searches
// for the wording of an attack orders nothing.
func searchedFor(text string, at, end, stop int) bool {
	if at < 3 || text[at-1] != '=' {
		return false
	}
	i := at - 1
	for i > 0 && at-i < longWord && (isAlnum(text[i-1]) || text[i-1] == '_') {
		i--
	}
	if !exactly(text[i:at-1], searchNames[:]) || i == 0 || text[i-1] != '?' && text[i-1] != '&' {
		return false
	}
	rest := text[stop:]
	switch {
	case rest == "":
		return true
	case text[end] != ' ' && rest[0] <= ' ', text[end] == ' ' && strings.HasPrefix(rest, " HTTP/"):
		return true
	}
	return strings.IndexByte("&#)>\"'", rest[0]) >= 0
}

// exactly reports whether s is one of the words, ASCII case ignored.
func exactly(s string, words []string) bool {
	for _, w := range words {
		if strings.EqualFold(s, w) {
			return true
		}
	}
	return false
}

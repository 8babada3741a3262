package content

import (
	"strings"
	"unicode/utf8"
)

// Tokenizers, templates of prompts and their settings name the control tokens of chats as string literals: a token alone between
// quotation marks, where code has them, and templates with places that a program fills. Text that a model is to take for a turn
// has neither.

// marker records a control token: a note where it is a literal of code alone, a review in a template, a block elsewhere.
func (sc *scan) marker(at, end int) {
	switch {
	case sc.encoded():
	case sc.literalToken(at, end), spanToken(sc.text, at, end):
		sc.review(detMarker, at, end, Note)
		return
	case sc.templateToken(at, end):
		sc.review(detMarker, at, end, Review)
		return
	}
	sc.add(detMarker, at, end)
}

// spanToken reports whether a token is all of a code span of Markdown in a sentence, as where it is written about.
func spanToken(text string, at, end int) bool {
	if at < 2 || end+1 >= len(text) || text[at-1] != '`' || text[end] != '`' || text[at-2] == '`' || text[end+1] == '`' || turnFollows(text, end+1) {
		return false
	}
	i := at - 2
	for i > 0 && text[i] == ' ' {
		i--
	}
	return isAlnum(text[i]) || text[i] == ',' || text[i] == '('
}

// literalBefore and literalAfter are the marks around a string literal of code.
var (
	literalBefore = newCharset("([{,=:+|")
	literalAfter  = newCharset(",)]}:;+.\r\n")
	literalWords  = [...]string{"case", "return", "in", "not", "or", "and", "if", "when"}
)

// literalToken reports whether a token is all of a string in an embedded document, or of a literal as code has them.
func (sc *scan) literalToken(at, end int) bool {
	text := sc.text
	if at == 0 && end == len(text) {
		return sc.d.strings[sc.str].Host >= 0
	}
	// Ends of lines may be escaped in it.
	for strings.HasPrefix(text[end:], `\n`) {
		end += len(`\n`)
	}
	for at > 1 && text[at-2:at] == `\n` {
		at -= len(`\n`)
	}
	if at == 0 || end == len(text) || text[at-1] != '"' && text[at-1] != '\'' || text[end] != text[at-1] {
		return false
	}
	open := at - 1
	if open > 0 && (text[open-1]|0x20 == 'f' || text[open-1]|0x20 == 'r' || text[open-1]|0x20 == 'b') && (open == 1 || !isAlnum(text[open-2])) {
		open--
	}
	i := open
	for i > 0 && open-i < maxIndent && text[i-1] <= ' ' {
		i--
	}
	before := i > 0 && literalBefore[text[i-1]]
	if !before {
		word := i
		for word > 0 && i-word < maxControlGap+len("return") && isLetter(text[word-1]) {
			word--
		}
		for _, w := range literalWords {
			before = before || text[word:i] == w
		}
	}
	if end++; end < len(text) && text[end] == ' ' {
		end++
	}
	return before && (end == len(text) || literalAfter[text[end]]) && !turnFollows(text, end)
}

// turnFollows reports whether a role with a turn of its own stands behind what closes a literal, as a line or before a colon.
func turnFollows(text string, i int) bool {
	for n := 0; n < 2*maxControlGap && i < len(text) && !isAlnum(text[i]); n++ {
		i++
	}
	end := i + oneOf(text[i:], turnRoles[:])
	return end > i && end < len(text) && (text[end] == '\n' || text[end] == '\r' || text[end] == ':')
}

// maxIndent is how many blanks may stand before a literal, in bytes.
const maxIndent = 32

// templateToken reports whether a place that a program fills stands next to a token: before it, behind it, or behind the role
// that it gives to the turn. A turn that has its own words is none of a template, whatever stands before it.
func (sc *scan) templateToken(at, end int) bool {
	text := sc.text
	i := end + oneOf(text[end:], turnRoles[:])
	role := i > end
	for n := 0; n < maxControlGap && i < len(text); n++ {
		switch {
		case text[i] <= ' ':
			i++
		case strings.HasPrefix(text[i:], `\n`):
			i += len(`\n`)
		}
	}
	if i < len(text) && (role && strings.IndexByte(text[end:i], '\n') < 0 && closingQuote(text, i) || placeBegins(text[i:])) {
		return true
	}
	return placeEnds(text[:at]) && !(role && i < len(text) && (isAlnum(text[i]) || text[i] >= utf8.RuneSelf || strings.IndexByte("\"'`", text[i]) >= 0))
}

// closingQuote reports whether a quotation mark at byte i ends a literal: no text follows it, only code.
func closingQuote(text string, i int) bool {
	if strings.IndexByte("\"'`", text[i]) < 0 {
		return false
	}
	for i++; i < len(text) && text[i] == ' '; i++ {
	}
	return i == len(text) || text[i] < ' ' || strings.IndexByte(",)]}:;+~.%|", text[i]) >= 0
}

// maxPlace is the longest name of what a program fills in, with its marks, in bytes.
const maxPlace = 48

// placeBegins reports whether s begins with a place that a program fills: {name}, {{ name }}, ${name}, {% if %}, %s.
func placeBegins(s string) bool {
	if hasFoldPrefix(s, "%s") || strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "{%") {
		return true
	}
	s = strings.TrimPrefix(s, "$")
	if s == "" || s[0] != '{' {
		return false
	}
	n := extent(s, 1, maxPlace, setWord)
	return n == 1 && len(s) > 1 && s[1] == '}' || n > 1 && n < len(s) && strings.IndexByte("}.[!", s[n]) >= 0
}

// placeEnds reports whether s ends with such a place.
func placeEnds(s string) bool {
	if s == "" || s[len(s)-1] != '}' {
		return false
	}
	s = s[max(0, len(s)-maxPlace):]
	open := strings.LastIndexByte(s, '{')
	return open >= 0 && placeBegins(s[open:]) || open > 0 && s[open-1] == '{'
}

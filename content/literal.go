package content

import "strings"

// Tokenizers, templates of prompts and their settings name the control tokens of chats as string literals: a token alone between
// quotation marks, where code has them, and templates with places that a program fills. Text that a model is to take for a turn
// has neither.

// marker records a control token: a note where it is a literal of code alone, a review in a template, a block elsewhere.
func (sc *scan) marker(at, end int) {
	switch {
	case sc.encoded():
	case sc.literalToken(at, end):
		sc.review(detMarker, at, end, Note)
		return
	case sc.templateToken(at, end):
		sc.review(detMarker, at, end, Review)
		return
	}
	sc.add(detMarker, at, end)
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
	return before && (end == len(text) || literalAfter[text[end]])
}

// maxIndent is how many blanks may stand before a literal, in bytes.
const maxIndent = 32

// templateToken reports whether a place that a program fills stands next to a token: before it, behind it, or behind the role
// that it gives to the turn.
func (sc *scan) templateToken(at, end int) bool {
	text := sc.text
	if at > 0 && text[at-1] == '}' {
		return true
	}
	i := end
	i += oneOf(text[i:], turnRoles[:])
	for n := 0; n < maxControlGap && i < len(text); n++ {
		switch {
		case text[i] <= ' ':
			i++
		case strings.HasPrefix(text[i:], `\n`):
			i += len(`\n`)
		}
	}
	return i < len(text) && (i > end && strings.IndexByte("\"'`", text[i]) >= 0 || text[i] == '{' || hasFoldPrefix(text[i:], "%s") || hasFoldPrefix(text[i:], "${"))
}

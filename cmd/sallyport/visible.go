package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// visible is s with everything that a terminal might act on, or not show, spelt as a
// JSON escape: names come from payloads and files, and whoever prints them must not
// be driven by them. Of a JSON text it is the same JSON, line breaks aside, which
// stay where keep says so.
func visible(s string, keep ...rune) string {
	plain := func(r rune) bool {
		return slices.Contains(keep, r) || unicode.IsPrint(r) && r != unicode.ReplacementChar
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if plain(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

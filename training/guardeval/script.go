package main

import (
	"unicode"
)

// scripts are the writing systems that the report tells apart; the others are
// "other".
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Arabic", unicode.Arabic}, {"Hebrew", unicode.Hebrew},
	{"Devanagari", unicode.Devanagari}, {"Bengali", unicode.Bengali}, {"Tamil", unicode.Tamil}, {"Thai", unicode.Thai}, {"Khmer", unicode.Khmer},
	{"Georgian", unicode.Georgian}, {"Armenian", unicode.Armenian}, {"Hangul", unicode.Hangul}, {"Kana", kana}, {"Han", unicode.Han},
}

var kana = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3041, Hi: 0x30ff, Stride: 1}}}

// The start of a text is enough to know its script.
const (
	scriptLook = 2000 // characters
	enoughKana = 3    // Japanese is mostly Han
)

// scriptOf is the script of most letters of a text, "none" without letters.
func scriptOf(text string) string {
	counts := make([]int, len(scripts)+1)
	seen := 0
	for _, r := range text {
		if seen++; seen > scriptLook {
			break
		}
		if !unicode.IsLetter(r) {
			continue
		}
		i := 0
		for i < len(scripts) && !unicode.Is(scripts[i].table, r) {
			i++
		}
		counts[i]++
	}
	best, name := 0, "none"
	for i, n := range counts {
		s := "other"
		if i < len(scripts) {
			s = scripts[i].name
		}
		if s == "Kana" && n > enoughKana {
			return s
		}
		if n > best {
			best, name = n, s
		}
	}
	return name
}

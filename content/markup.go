package content

import "strings"

// markupKeywords opens the places of a document that its reader does not see: comments, invisible styles and elements,
// alternative texts and other attributes.
func markupKeywords() []keyword {
	k := []keyword{
		{text: "style=", look: (*scan).inlineStyle},
		{text: "](http", look: (*scan).linkTexts},
	}
	for open, closing := range hiddenBetween {
		k = append(k, keyword{text: open, look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+len(open), closing, (*scan).addressed) }})
	}
	for open, closing := range asideBetween {
		k = append(k, keyword{text: open, look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+len(open), closing, (*scan).misused) }})
	}
	for _, mark := range lineComments {
		for _, whom := range [...]string{"ai:", "ai,", "ai a", "ai m", "llm", "assistant", "chatgpt", "claude", "copilot", "agents:"} {
			// Whom it calls on is part of what is read.
			k = append(k, keyword{text: mark + whom, look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+len(mark), "\n", (*scan).misused) }})
		}
	}
	for _, mark := range hiddenElements {
		k = append(k, keyword{text: mark, look: (*scan).hiddenStyle})
	}
	return k
}

// hiddenBetween are the openings of hidden texts with what closes them.
var hiddenBetween = map[string]string{
	"<!--": commentEnd, "<![cdata[": "]]>", "{{!--": "--}}", "\\iffalse": "\\fi", "\\textcolor{white}": "}", "\\color{white}": "}", "\\begin{comment}": "\\end",
	"[//]: ": "\n", "[comment]: ": "\n", "]: # ": "\n", "]: #(": "\n", "]: <>": "\n",
	"alt=\"": "\"", "alt='": "'", "type=\"hidden\"": ">", "type=hidden": ">", "type='hidden'": ">",
}

// asideBetween are the openings of texts that most readers do not look at, and programs do: attributes, and elements
// that a page does not show as text.
var asideBetween = map[string]string{
	" alt=": ">", "title=\"": "\"", "title='": "'", "aria-label=\"": "\"", "aria-description=\"": "\"", "placeholder=\"": "\"", "content=\"": "\"", "summary=\"": "\"", " value=\"": "\"", " data-": ">",
	"<template": "</template", "<style": "</style", "<script type=\"text/": "</script", "<title>": "</title", "<desc>": "</desc", "<metadata": "</metadata",
}

// lineComments begin comments that end with their line, in programs, LaTeX and reStructuredText.
var lineComments = [...]string{"// ", "# ", "-- ", "; ", "% ", ".. ", "/* "}

// hiddenElements stand in the tag of an element whose text is hidden, or begin it.
var hiddenElements = [...]string{
	"display:none", "display: none", "visibility:hidden", "visibility: hidden", "font-size:0", "font-size: 0", "font-size:1px", "font-size: 1px", "opacity:0", "opacity: 0", "color:white", "color: white", "color:#fff", "color: #fff",
	" hidden>", " hidden=", "aria-hidden=", "sr-only", "visually-hidden", "visuallyhidden", "screen-reader", "d-none", "color=\"white", "color=white", "color='white", "color=\"#fff", "color=#fff", "size=\"0", "size=0>", "size='0", "size=\"1\"",
}

// hiding are the declarations that hide an element, without blanks.
var hiding = mustIndex("display:none", "visibility:hidden", "visibility:collapse", "font-size:0", "font-size:.", "font-size:1px", "opacity:0", "opacity:.0", "color:white", "color:#fff", "color:transparent", "color:rgba(0,0,0,0", "color:rgba(255,255,255", "color:rgb(255,255,255", "color:#ffffff",
	"left:-", "top:-9", "text-indent:-", "height:0", "height:1px", "width:0", "clip:rect", "clip-path:inset(", "transform:scale(0", "scale:0", "z-index:-", "user-select:none;color", "line-height:0", "filter:opacity(0", "content-visibility:hidden")

// maxStyle bounds the attribute that styles an element, in bytes.
const maxStyle = 200

// inlineStyle looks at an element whose own style hides it, however that is written.
func (sc *scan) inlineStyle(at int) {
	if sc.seen(at) {
		return
	}
	style := sc.text[at:min(len(sc.text), at+maxStyle)]
	end := strings.IndexByte(style, '>')
	if end < 0 {
		return
	}
	var b [maxStyle]byte
	n := 0
	for i := 0; i < end; i++ {
		if c := foldTable[style[i]]; c > ' ' {
			b[n] = c
			n++
		}
	}
	if hiding.any(string(b[:n])) {
		sc.hiddenStyle(at)
	}
}

// linkTexts looks at what a link or a picture of Markdown shows only to whoever reads the source: the alternative text
// and the title. at is where its text ends.
func (sc *scan) linkTexts(at int) {
	text := sc.text
	if i := sc.brackets.before(linkOpens, text, at); i > 0 && text[i] == '[' && text[i-1] == '!' && at-i >= minHidden && at-i <= hiddenWindow {
		sc.hiddenMarkup(i, i+1, "](", (*scan).misused)
	}
	end := extent(text, at+2, maxMark-2, setLinked)
	if end+1 < len(text) && text[end] == ' ' && strings.IndexByte("\"'(", text[end+1]) >= 0 {
		sc.hiddenMarkup(end, end+2, ")", (*scan).misused)
	}
}

// setLinked is setURL without the brackets that links of Markdown are made of.
var setLinked = func() *charset {
	c := *setURL
	for _, b := range []byte("()[") {
		c[b] = false
	}
	return &c
}()

// hiddenWindow bounds how much of a hidden place is read, in bytes; hiddenOverlap how much of it may have been
// read for a place before, so that a text full of openings stays linear.
const (
	hiddenWindow  = 600
	hiddenOverlap = 300
	minHidden     = 12 // shorter than any order
)

// seen reports whether the window of a place before reaches far enough beyond byte start.
func (sc *scan) seen(start int) bool {
	return start < sc.markup-hiddenOverlap || sc.full(detMarkup)
}

// hiddenMarkup looks at the hidden text from byte start up to the closing mark.
func (sc *scan) hiddenMarkup(at, start int, closing string, told func(sc *scan, lo, hi int) bool) {
	if sc.seen(start) {
		return
	}
	end := min(len(sc.text), start+hiddenWindow)
	if closing == commentEnd {
		end = min(end, sc.comments.after(sc.text, start))
	} else if i := strings.Index(sc.text[start:end], closing); i >= 0 {
		end = start + i
	}
	sc.markup = end
	if end-start >= minHidden && told(sc, start, end) {
		sc.add(detMarkup, at, start)
	}
}

// hiddenStyle looks at the text of an element whose style hides it.
func (sc *scan) hiddenStyle(at int) {
	if sc.seen(at) {
		return
	}
	end := min(len(sc.text), at+hiddenWindow)
	open := strings.IndexByte(sc.text[at:end], '>')
	if open < 0 || open > maxStyle {
		return
	}
	start := at + open + 1
	if i := strings.Index(sc.text[start:end], "</"); i >= 0 {
		end = start + i
	}
	sc.markup = end
	if sc.addressed(start, end) {
		sc.add(detMarkup, at, start)
	}
}

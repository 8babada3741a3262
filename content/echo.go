package content

import (
	"slices"
	"strings"
)

// A value that only its name gives away in one place, such as a password in a structured result, may stand
// bare in another, such as the text block that repeats the result. Both are masked alike.
const (
	// minEcho is the shortest value that is looked for elsewhere, in bytes: shorter ones are words.
	minEcho = 8
	// maxEchoes bounds how many values are looked for. Where there are more, something is left unread.
	maxEchoes = 16
)

// echoes finds the values of context-dependent findings where they stand without their context.
func (sc *scan) echoes() {
	var values echoValues
	for i := range sc.rep.Findings {
		f := &sc.rep.Findings[i]
		if f.Detector != detCredential.name && f.Detector != detTwilio.name || f.Mask == "" || f.View != ViewRaw {
			continue
		}
		text := sc.d.strings[f.String].Text
		values = values.with(text[f.Start:f.End], f.Detector == detTwilio.name)
		for _, r := range f.Also {
			values = values.with(text[r.Start:r.End], f.Detector == detTwilio.name)
		}
	}
	if len(values) == 0 {
		return
	}
	if len(values) > maxEchoes {
		sc.cut++
		values = values[:maxEchoes]
	}
	taken := map[int][]span{}
	for i := range sc.rep.Findings {
		f := &sc.rep.Findings[i]
		if f.Mask != "" {
			taken[f.String] = append(slices.Grow(taken[f.String], 1+len(f.Also)), span{start: f.Start, end: f.End})
			for _, r := range f.Also {
				taken[f.String] = append(taken[f.String], span{start: r.Start, end: r.End})
			}
		}
	}
	for _, t := range taken {
		slices.SortFunc(t, func(a, b span) int { return a.start - b.start })
	}
	for i := range sc.d.strings {
		s := &sc.d.strings[i]
		if s.Key || s.open {
			continue
		}
		for _, v := range values {
			if len(s.Text) < len(v.text) || !strings.Contains(s.Text, v.text) {
				continue
			}
			sc.str, sc.role, sc.path = i, s.Role, ""
			sc.raw = view{text: s.Text, label: ViewRaw}
			sc.v, sc.text = &sc.raw, s.Text
			sc.echo(v, taken[i])
		}
	}
}

// echo is a value to look for.
type echo struct {
	text   string
	twilio bool
}

// echoValues are the values to look for, each once.
type echoValues []echo

// with adds a value, up to one more than are looked for.
func (e echoValues) with(text string, twilio bool) echoValues {
	if len(e) > maxEchoes || len(text) < minEcho || slices.ContainsFunc(e, func(o echo) bool { return o.text == text }) {
		return e
	}
	return append(e, echo{text, twilio})
}

// echo reports v wherever the current text has it, except over what is taken, which is sorted by its start.
func (sc *scan) echo(v echo, taken []span) {
	seen, covered := 0, 0 // spans that start before the place looked at, and how far they reach
	for from := 0; ; {
		i := strings.Index(sc.text[from:], v.text)
		if i < 0 {
			return
		}
		start := from + i
		end := start + len(v.text)
		from = end
		if start > 0 && isAlnum(sc.text[start-1]) || end < len(sc.text) && isAlnum(sc.text[end]) {
			continue
		}
		for ; seen < len(taken) && taken[seen].start < end; seen++ {
			covered = max(covered, taken[seen].end)
		}
		if covered > start {
			continue
		}
		t := detCredential
		if v.twilio {
			t = detTwilio
		}
		if !sc.s.allowed(t, v.text, sc.pointer()) {
			sc.report(hit{det: t, start: start, end: end}, start, end)
		}
	}
}

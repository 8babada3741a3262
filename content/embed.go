package content

import "strings"

// maxEmbedding is how many JSON documents may be nested in each other's strings and still be opened. A deeper
// one is scanned as the text it is.
const maxEmbedding = 4

// minEmbedded is the shortest text worth opening: nothing shorter can hold anything a detector knows.
const minEmbedded = 8

// embed opens the strings whose text is itself a JSON object or array, a common shape of tool results: their
// strings are added to the document so that detectors see decoded text and redaction can mask inside them.
// What does not parse stays plain text. The work is bounded: each layer is shorter than the one around it.
func (d *Document) embed(w *walker) {
	for i := 0; i < len(d.strings); i++ {
		s := &d.strings[i]
		if s.Key || s.layer >= maxEmbedding || !looksEmbedded(s.Text) {
			continue
		}
		text, layer := s.Text, s.layer
		strs, conts, nums, rows := len(d.strings), len(d.containers), len(d.numbers), len(d.rows)
		if err := w.walk(text, i, d.limits.MaxDepth, d.limits.MaxStrings); err != nil {
			d.strings, d.containers, d.numbers, d.rows = d.strings[:strs], d.containers[:conts], d.numbers[:nums], d.rows[:rows]
			continue
		}
		if len(d.strings) == strs {
			// Numbers alone, which may be those of characters, are read as the text they are.
			d.containers, d.numbers, d.rows = d.containers[:conts], d.numbers[:nums], d.rows[:rows]
			continue
		}
		d.strings[i].open = true
		for j := strs; j < len(d.strings); j++ {
			d.strings[j].layer = layer + 1
		}
	}
}

// looksEmbedded is a cheap test that rejects nearly every text that is not JSON.
func looksEmbedded(text string) bool {
	if len(text) < minEmbedded {
		return false
	}
	switch text[0] {
	case '{', '[', ' ', '\n', '\r', '\t':
	default:
		return false
	}
	t := strings.Trim(text, " \t\r\n")
	if len(t) < minEmbedded {
		return false
	}
	next := strings.TrimLeft(t[1:min(len(t), 65)], " \t\r\n")
	if next == "" {
		return false
	}
	switch t[0] {
	case '{':
		return t[len(t)-1] == '}' && (next[0] == '"' || next[0] == '}')
	case '[':
		return t[len(t)-1] == ']' && strings.IndexByte("\"{[]-0123456789tfn", next[0]) >= 0
	}
	return false
}

package content

// Unescape undoes one layer of the escapes in which text travels: percent escapes, HTML entities and the backslash
// escapes of JSON and of most languages. It reads as the decoded view of a scan does, so that whoever asks about a
// value sees what the detectors see. changed is false when there was nothing to undo; plain is then the text itself.
// text is valid UTF-8.
func Unescape(text string) (plain string, changed bool) {
	if plain, changed = rewrite(text, escapeStep); changed {
		return plain, true
	}
	return text, false
}

// Narrow returns the scanner with only those of its allow entries that keep wants, by their place in the list that
// Compile was given. It shares everything else, so it costs no more than the list it keeps.
func (s *Scanner) Narrow(keep func(entry int) bool) *Scanner {
	narrow := *s
	narrow.allow = nil
	for i := range s.allow {
		if keep(i) {
			narrow.allow = append(narrow.allow, s.allow[i])
		}
	}
	return &narrow
}

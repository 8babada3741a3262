package content

import "strings"

// stamped reports whether a text is nothing but a time or a UUID, in which no detector finds anything. Programs write them in most
// of their records, and what is asked of any text costs more for each of them than for the record's words.
func (sc *scan) stamped(text string) bool {
	return (isTime(text) || isPlainUUID(text)) && !sc.s.ungated && !sc.s.index.any(text)
}

// isTime reports whether a text is a date, or a date and a time in whole seconds or in parts of them down to nanoseconds, with or
// without its zone (RFC 3339, and a blank for its T). A fraction that spells a word in digits is none.
func isTime(text string) bool {
	const date, shape = len("0000-00-00"), "0000-00-00T00:00:00"
	n := min(len(text), len(shape))
	if n != date && n != len(shape) || !shaped(text, shape[:n]) {
		return false
	}
	rest := text[n:]
	if n == len(shape) && strings.HasPrefix(rest, ".") {
		end := digitsEnd(rest, 1)
		if end == 1 || end > len(".000000000") || leetWord(rest[1:]) != "" {
			return false
		}
		rest = rest[end:]
	}
	return rest == "" || rest == "Z" || len(rest) == len("+00:00") && (rest[0] == '+' || rest[0] == '-') && shaped(rest[1:], "00:00")
}

// shaped reports whether a text has a digit where shape has a 0, and else what shape has, or a blank for its T. Both are as long.
func shaped(text, shape string) bool {
	for i := range len(shape) {
		switch c := text[i]; shape[i] {
		case '0':
			if !isDigit(c) {
				return false
			}
		case c:
		case 'T':
			if c != ' ' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isPlainUUID reports whether a text is a UUID in lower case, whose characters begin no text in base64.
func isPlainUUID(text string) bool {
	if len(text) != len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	start := 0
	for _, end := range [...]int{8, 13, 18, 23, 36} {
		if !of(text, start, end, setHex) || end < len(text) && text[end] != '-' {
			return false
		}
		start = end + 1
	}
	return !promising(text)
}

package main

import "strconv"

// count is n and the noun in the number that n asks for: 1 line, 2 lines.
func count[N ~int | ~int64 | ~uint64](n N, noun string) string {
	text := strconv.FormatInt(int64(n), 10) + " " + noun
	if n != 1 {
		text += "s"
	}
	return text
}

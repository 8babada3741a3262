package content

import "math"

// entropy returns the Shannon entropy of the bytes of s, in bits per byte.
func entropy(s string) float64 {
	if len(s) == 0 {
		return 0
	}
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	// Most characters of a value are there as often as others, and logarithms are dear.
	var terms [16]float64
	h, n := 0.0, float64(len(s))
	for _, c := range count {
		switch {
		case c == 0:
		case c < len(terms) && terms[c] != 0:
			h -= terms[c]
		default:
			p := float64(c) / n
			term := p * math.Log2(p)
			if h -= term; c < len(terms) {
				terms[c] = term
			}
		}
	}
	return h
}

// mixed reports whether s has both a letter and a digit.
func mixed(s string) bool {
	var seen uint8
	for i := 0; i < len(s); i++ {
		seen |= byteClass[s[i]]
	}
	return seen&classLetter != 0 && seen&classDigit != 0
}

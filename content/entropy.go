package content

import (
	"math"
	"math/bits"
)

// entropy returns the Shannon entropy of the bytes of s, in bits per byte.
func entropy(s string) float64 {
	if len(s) == 0 {
		return 0
	}
	var count [256]uint32
	var there [4]uint64 // which bytes there are: few of all
	for i := 0; i < len(s); i++ {
		c := s[i]
		count[c]++
		there[c>>6] |= 1 << (c & 63)
	}
	// Most characters of a value are there as often as others, and logarithms are dear.
	var terms [16]float64
	h, n := 0.0, float64(len(s))
	for i, left := range there {
		for ; left != 0; left &= left - 1 {
			c := count[i<<6+bits.TrailingZeros64(left)]
			if c < uint32(len(terms)) && terms[c] != 0 {
				h -= terms[c]
				continue
			}
			p := float64(c) / n
			term := p * math.Log2(p)
			if h -= term; c < uint32(len(terms)) {
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

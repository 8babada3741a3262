package content

import "math/bits"

// blocks tells in which blocks of a text something stands, so that looks for it pass over the others.
type blocks []uint64

// blockBits is the length of a block, in bytes, as a power of two.
const blockBits = 6

// blockEnd returns where the block that byte i is in ends.
func blockEnd(i int) int { return (i>>blockBits + 1) << blockBits }

// reset forgets what stands in a text, and makes room for another of n bytes.
func (b *blocks) reset(n int) { *b = cleared(*b, n>>blockBits/64+1) }

// add notes that it stands in text[lo:hi], which is not empty.
func (b blocks) add(lo, hi int) {
	for k := lo >> blockBits; k <= (hi-1)>>blockBits; k++ {
		b[k/64] |= 1 << (k % 64)
	}
}

// next returns the first byte at or after byte i, which is in the text, in a block where it stands; a place behind the text when
// there is none.
func (b blocks) next(i int) int {
	k := i >> blockBits
	if b[k/64]>>(k%64)&1 != 0 {
		return i
	}
	rest := b[k/64] >> (k % 64) << (k % 64)
	for n := k / 64; ; rest = b[n] {
		if rest != 0 {
			return (n*64 + bits.TrailingZeros64(rest)) << blockBits
		}
		if n++; n == len(b) {
			return n * 64 << blockBits
		}
	}
}

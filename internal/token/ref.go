package token

import (
	"crypto/rand"
	"encoding/base32"
)

// refText is Crockford's alphabet in lower case: no letters that read as digits.
var refText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRef mints the reference that a refused caller sees: 80 random bits in 16 characters,
// so that it says nothing and cannot be guessed.
func NewRef() string {
	var b [10]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return refText.EncodeToString(b[:])
}

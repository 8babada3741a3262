package grpcapi

import (
	"crypto/rand"
	"encoding/base32"
)

// refText is Crockford's alphabet in lower case: no letters that read as digits.
var refText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newRef mints a reference, 80 random bits, for a denial that this package makes
// without the engine.
func newRef() string {
	var b [10]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return refText.EncodeToString(b[:])
}

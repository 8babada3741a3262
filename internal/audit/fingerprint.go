package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// MinHMACKey is the shortest key, in bytes, that NewFingerprinter takes: a shorter one could be guessed, and with it the
// secrets behind the fingerprints.
const MinHMACKey = 16

// Fingerprint stands for matched text without revealing it.
type Fingerprint struct {
	Length int    `json:"len"`            // bytes of the match
	HMAC   string `json:"hmac,omitempty"` // hexadecimal HMAC-SHA256 of the match; high-entropy matches under a key only
}

// Fingerprinter makes fingerprints. Its zero value has no key and gives lengths only. It is immutable and safe for
// concurrent use.
type Fingerprinter struct{ key []byte }

// NewFingerprinter returns a Fingerprinter for key; an empty key gives lengths only. A key between 1 and MinHMACKey-1
// bytes is an error.
func NewFingerprinter(key []byte) (Fingerprinter, error) {
	if len(key) > 0 && len(key) < MinHMACKey {
		return Fingerprinter{}, fmt.Errorf("audit fingerprint key: %d bytes, want at least %d", len(key), MinHMACKey)
	}
	return Fingerprinter{key: append([]byte(nil), key...)}, nil
}

// Of returns the fingerprint of match. Low-entropy text (a phone number, a date) never gets an HMAC: whoever holds the key
// could find it by trying all values.
func (f Fingerprinter) Of(match string, highEntropy bool) Fingerprint {
	fp := Fingerprint{Length: len(match)}
	if highEntropy && len(f.key) > 0 {
		mac := hmac.New(sha256.New, f.key)
		mac.Write([]byte(match))
		fp.HMAC = hex.EncodeToString(mac.Sum(nil))
	}
	return fp
}

// String keeps the key out of logs.
func (f Fingerprinter) String() string { return "audit.Fingerprinter" }

// GoString keeps the key out of panics and %#v.
func (f Fingerprinter) GoString() string { return f.String() }

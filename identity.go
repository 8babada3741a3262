package sallyport

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"

	"github.com/sallyport-mcp/sallyport/internal/token"
)

// identity is what an exchange is known by.
type identity struct {
	// key tells exchanges apart at the trace shards.
	key [16]byte
	// ref is the reference that a refused caller sees: 80 random bits, so that it
	// says nothing and cannot be guessed.
	ref string
}

var refEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

func mint() identity {
	var raw [26]byte
	rand.Read(raw[:]) // never fails: crypto/rand aborts the process instead
	id := identity{ref: refEncoding.EncodeToString(raw[16:])}
	copy(id.key[:], raw[:16])
	return id
}

// exchangeID is the id under which both halves of an exchange appear in the
// audit: the gateway's, or one of ours.
func (r *run) exchangeID() string {
	if r.ex.ID != "" {
		return r.ex.ID
	}
	if r.token == token.Valid && r.claims.Exchange != "" {
		return r.claims.Exchange
	}
	return hex.EncodeToString(r.id.key[:])
}

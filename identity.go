package sallyport

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/sallyport-mcp/sallyport/internal/token"
)

// identity is what an exchange is known by.
type identity struct {
	// key tells exchanges apart at the trace shards.
	key [16]byte
	// ref is the reference that a refused caller sees.
	ref string
}

func mint() identity {
	id := identity{ref: token.NewRef()}
	rand.Read(id.key[:]) // never fails: crypto/rand ends the process instead
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

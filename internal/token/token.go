// Package token owns the hand-back token that ties a result to the call it
// answers: the request gate hands it out in the reply's metadata, the gateway gives
// it back with the response, and the response gate learns from it which tool
// answered, under which trace key, without any state that replicas would share. It
// also mints the references that refused callers see.
//
// It signs and verifies. It does not remember tokens: that one token feeds one
// result event is enforced by its caller, the engine, with [Claims.ID]. It holds
// no clock of its own and starts nothing.
package token

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// MaxLength bounds the text of a token, in bytes. Every token is shorter.
const MaxLength = 300

// Claims are what a token says about the call it was handed out for.
type Claims struct {
	// Exchange is the exchange id of the call. Longer ids than fit are replaced by
	// a digest, which Verify returns in the form "~" and hex.
	Exchange string
	// Service is the target of the call, "" for a fan-out.
	Service string
	// Method is the JSON-RPC method of the call.
	Method string
	// Tool is the name of the tool, prompt or resource. Names of up to 128 bytes
	// always fit; longer ones come back as a digest.
	Tool string
	// TraceKey is the key under which rules remember the caller, already keyed and
	// hashed ([Keyring.TraceKey]).
	TraceKey [16]byte
	// Shared is whether that key is shared by every caller of the service.
	Shared bool
	// IssuedAt is set by Sign and returned by Verify, to the millisecond.
	IssuedAt time.Time
	// ID is the token's own identity, returned by Verify: two tokens never share
	// it, so whoever enforces one-time use keys on it.
	ID [16]byte
}

// Result is what Verify found.
type Result uint8

const (
	// Missing: there was no token. The zero value.
	Missing Result = iota
	// Valid: the claims hold and belong to this response.
	Valid
	// UnknownKey: the token was not made by a key of this ring, or is not a token
	// of a version this build knows. To be treated as missing: it comes from
	// another replica, from before a restart or from a newer build.
	UnknownKey
	// Expired: the token is ours but too old, to be treated as missing.
	Expired
	// Forged: it names a key of ours but was not made by it.
	Forged
	// Mismatch: it is ours, but for another service or method than the response's.
	Mismatch
)

var resultNames = [...]string{"missing", "valid", "unknown_key", "expired", "forged", "mismatch"}

// String returns the word used in metrics and audit lines.
func (r Result) String() string {
	if int(r) < len(resultNames) {
		return resultNames[r]
	}
	return "unknown"
}

// Suspicious reports whether somebody tampered with the token or moved it to
// another response: a review finding.
func (r Result) Suspicious() bool { return r == Forged || r == Mismatch }

// MinKey is the least length of a key, in bytes.
const MinKey = 16

// Options adjust a ring. The zero value is ready to use.
type Options struct {
	// MaxAge is how long a token is honoured; 0 is one hour.
	MaxAge time.Duration
	// Now tells the time; nil is time.Now.
	Now func() time.Time
	// Rand makes nonces and the key of a ring without keys; nil is crypto/rand.
	Rand io.Reader
}

// Keyring signs with its first key and verifies with all. It is immutable and safe
// for concurrent use.
type Keyring struct {
	keys   []key
	maxAge time.Duration
	now    func() time.Time
	rand   io.Reader
}

type key struct {
	id    [kidSize]byte
	mac   []byte
	trace []byte
}

// NewKeyring makes a ring. Without keys it makes a random one, which verifies only
// what this ring signed. Each key has at least [MinKey] bytes.
func NewKeyring(keys []string, o Options) (*Keyring, error) {
	k := &Keyring{maxAge: o.MaxAge, now: o.Now, rand: o.Rand}
	if k.maxAge == 0 {
		k.maxAge = time.Hour
	}
	if k.now == nil {
		k.now = time.Now
	}
	if k.rand == nil {
		k.rand = rand.Reader
	}
	if k.maxAge < 0 {
		return nil, errors.New("token keyring: negative maximum age")
	}
	for i, text := range keys {
		if len(text) < MinKey {
			return nil, fmt.Errorf("token keyring: key %d of %d is under %d bytes", i+1, len(keys), MinKey)
		}
		k.keys = append(k.keys, derive([]byte(text)))
	}
	if len(k.keys) == 0 {
		secret := make([]byte, sha256.Size)
		if _, err := io.ReadFull(k.rand, secret); err != nil {
			return nil, fmt.Errorf("token keyring: make a random key: %w", err)
		}
		k.keys = []key{derive(secret)}
	}
	return k, nil
}

// derive makes independent keys for independent purposes out of one secret.
func derive(secret []byte) key {
	sub := func(purpose string) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte("sallyport/" + purpose))
		return h.Sum(nil)
	}
	k := key{mac: sub("token-mac/1"), trace: sub("trace-key/1")}
	copy(k.id[:], sub("token-kid/1"))
	return k
}

// TraceKey hashes the parts under the first key. Parts are length-prefixed, so
// that different lists never collide.
func (k *Keyring) TraceKey(parts ...string) [16]byte {
	h := hmac.New(sha256.New, k.keys[0].trace)
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p)) // a hash takes everything
	}
	return [16]byte(h.Sum(nil))
}

// encoding is strict about padding bits. Even so it skips line breaks, which
// [Keyring.Verify] refuses, so that a token has exactly one spelling.
var encoding = base64.RawURLEncoding.Strict()

// Sign returns a token for c, shorter than [MaxLength]. IssuedAt and ID are
// ignored.
func (k *Keyring) Sign(c Claims) string {
	signer := &k.keys[0]
	raw := make([]byte, 0, rawMax)
	raw = append(raw, version, flags(c))
	raw = append(raw, signer.id[:]...)
	raw = appendMillis(raw, k.now())
	raw = raw[:len(raw)+nonceSize]
	if _, err := io.ReadFull(k.rand, raw[len(raw)-nonceSize:]); err != nil {
		// Without a nonce the token is still authentic; only two equal calls within
		// a millisecond would share an identity.
		clear(raw[len(raw)-nonceSize:])
	}
	raw = append(raw, c.TraceKey[:]...)
	raw = appendFields(raw, c)
	raw = signer.sum(raw, raw)
	return encoding.EncodeToString(raw)
}

// Verify reads a token that came back with a response of the given service and
// method. The claims are meaningful for Valid, Mismatch and Expired only.
func (k *Keyring) Verify(text, service, method string) (Claims, Result) {
	if text == "" {
		return Claims{}, Missing
	}
	if len(text) >= MaxLength || strings.ContainsAny(text, "\r\n") {
		return Claims{}, UnknownKey
	}
	raw, err := encoding.DecodeString(text)
	if err != nil || len(raw) < rawMin || raw[0] != version {
		return Claims{}, UnknownKey
	}
	body, mac := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	known := false
	for i := range k.keys {
		if [kidSize]byte(raw[kidAt:]) != k.keys[i].id {
			continue
		}
		known = true
		if hmac.Equal(k.keys[i].sum(nil, body), mac) {
			return k.authentic(body, mac, service, method)
		}
	}
	if known {
		return Claims{}, Forged
	}
	return Claims{}, UnknownKey
}

// authentic reads a body that a key of ours made.
func (k *Keyring) authentic(body, mac []byte, service, method string) (Claims, Result) {
	c, ok := decode(body)
	if !ok {
		return Claims{}, Forged
	}
	c.ID = [16]byte(mac)
	// A replica whose clock is ahead issues in our future.
	if age := k.now().Sub(c.IssuedAt); age > k.maxAge || age < -k.maxAge {
		return c, Expired
	}
	if !same(c.Service, service) || !same(c.Method, method) {
		return c, Mismatch
	}
	return c, Valid
}

func (k *key) sum(dst, body []byte) []byte {
	h := hmac.New(sha256.New, k.mac)
	h.Write(body)
	return h.Sum(dst)
}

package token

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// The bytes of a token before base64url:
//
//	version 1, flags 1, kid 4, issued-at 6 (big-endian milliseconds since 1970),
//	nonce 4, trace key 16, then exchange, method, service and tool as fields,
//	then the MAC 32 over everything before it.
//
// A field is a head byte and its bytes. Heads up to maxLiteral are the length of
// the text that follows; headDigest is followed by digestSize bytes of the text's
// SHA-256; for the method, heads from headMethod on name a known one.
const (
	version = 1

	kidSize    = 4
	millisSize = 6
	nonceSize  = 4
	traceSize  = 16
	macSize    = sha256.Size
	digestSize = 12

	kidAt   = 2
	timeAt  = kidAt + kidSize
	traceAt = timeAt + millisSize + nonceSize
	fields  = traceAt + traceSize

	maxLiteral = 0xdf
	headDigest = 0xe0
	headMethod = 0xe1

	// rawMax is what base64url can hold under MaxLength.
	rawMax = (MaxLength - 1) * 3 / 4
	rawMin = fields + 4 + macSize
	// room is what the four fields share, heads included.
	room = rawMax - fields - macSize
)

const flagShared = 1

// digestMark begins the text that stands for a name too long to carry. A name
// that begins with it is itself carried as a digest, so that the two cannot be
// taken for each other.
const digestMark = "~"

// knownMethods are carried in the head byte. The order is part of the format:
// append only.
var knownMethods = []string{
	"tools/call", "tools/list", "prompts/get", "prompts/list", "resources/read",
	"resources/list", "resources/templates/list", "initialize", "server/discover",
	"ping", "logging/setLevel", "completion/complete", "subscriptions/listen",
}

func flags(c Claims) byte {
	if c.Shared {
		return flagShared
	}
	return 0
}

func appendMillis(b []byte, t time.Time) []byte {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(t.UnixMilli()))
	return append(b, n[8-millisSize:]...)
}

func digest(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:digestSize]
}

// digestText is how a name that was carried as a digest is given to the reader.
func digestText(s string) string { return digestMark + hex.EncodeToString(digest(s)) }

// same compares what the token carried with the name the response has.
func same(carried, name string) bool {
	return carried == name || strings.HasPrefix(carried, digestMark) && carried == digestText(name)
}

// appendFields writes the four names, replacing by digests what does not fit: the
// exchange first, then service and method, of which the reader has its own copy to
// compare, and the tool last.
func appendFields(b []byte, c Claims) []byte {
	method := slices.Index(knownMethods, c.Method)
	names := [4]string{c.Exchange, c.Method, c.Service, c.Tool}
	var hashed [4]bool
	size := func() (n int) {
		for i, s := range names {
			switch {
			case i == 1 && method >= 0:
				n++
			case hashed[i]:
				n += 1 + digestSize
			default:
				n += 1 + len(s)
			}
		}
		return n
	}
	for i, s := range names {
		hashed[i] = len(s) > maxLiteral || strings.HasPrefix(s, digestMark)
	}
	for _, i := range [4]int{0, 2, 1, 3} {
		if size() > room && len(names[i]) > digestSize {
			hashed[i] = true
		}
	}
	for i, s := range names {
		switch {
		case i == 1 && method >= 0:
			b = append(b, byte(headMethod+method))
		case hashed[i]:
			b = append(append(b, headDigest), digest(s)...)
		default:
			b = append(append(b, byte(len(s))), s...)
		}
	}
	return b
}

// decode reads an authentic body.
func decode(body []byte) (Claims, bool) {
	var millis [8]byte
	copy(millis[8-millisSize:], body[timeAt:])
	c := Claims{
		Shared:   body[1]&flagShared != 0,
		IssuedAt: time.UnixMilli(int64(binary.BigEndian.Uint64(millis[:]))),
		TraceKey: [traceSize]byte(body[traceAt:]),
	}
	rest := body[fields:]
	for i, p := range [4]*string{&c.Exchange, &c.Method, &c.Service, &c.Tool} {
		var ok bool
		if *p, rest, ok = field(rest, i == 1); !ok {
			return Claims{}, false
		}
	}
	return c, len(rest) == 0
}

// field takes one name off b.
func field(b []byte, method bool) (text string, rest []byte, ok bool) {
	if len(b) == 0 {
		return "", nil, false
	}
	head, b := int(b[0]), b[1:]
	switch {
	case head <= maxLiteral && len(b) >= head:
		return string(b[:head]), b[head:], true
	case head == headDigest && len(b) >= digestSize:
		return digestMark + hex.EncodeToString(b[:digestSize]), b[digestSize:], true
	case method && head >= headMethod && head-headMethod < len(knownMethods):
		return knownMethods[head-headMethod], b, true
	}
	return "", nil, false
}

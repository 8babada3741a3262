package actors

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// cacheKey is a hash of a model's identity and of what it read.
type cacheKey = [16]byte

// scoreCache is the verdict cache: what was computed once is not computed again.
// It is the one structure of the engine that is shared under a lock and not owned
// by an actor: a hit must not cost a hop, and a lost update costs one inference
// and nothing else. One lock per level is enough: it is held for about 100 ns,
// so it allows more look-ups a second than a whole machine can make requests.
//
// A window's key is inference's. A segment's is the first 128 bits of SHA-256 over
// a random secret, the models' identity and the text. A caller who could find two
// texts with one key would get the verdict of the harmless one for the other, so
// the hash is a cryptographic one.
type scoreCache struct {
	secret   [32]byte
	hashes   sync.Pool
	windows  *lru.Cache[cacheKey, float32]
	segments *lru.Cache[cacheKey, segmentEntry]
}

// segmentEntry is the result of one whole segment. Only complete results are
// kept: no window dropped, skipped or failed.
type segmentEntry struct {
	score, gate float32
	start, end  int
	windows     int
	judged      int
	machine     int
}

// newScoreCache holds so many windows, and a quarter as many segments; with zero
// or less, nothing.
func newScoreCache(entries int) *scoreCache {
	c := &scoreCache{}
	c.hashes.New = func() any { return &hasher{h: sha256.New()} }
	_, _ = rand.Read(c.secret[:]) // does not fail
	if entries > 0 {
		// The only error is a size below one.
		c.windows, _ = lru.New[cacheKey, float32](entries)
		c.segments, _ = lru.New[cacheKey, segmentEntry](max(entries/4, 1))
	}
	return c
}

type hasher struct {
	h   hash.Hash
	buf [4096]byte
	sum [sha256.Size]byte
}

// segmentKey identifies a text of a surface as read by models of one identity.
func (c *scoreCache) segmentKey(identity, surface, text string) (none cacheKey) {
	if c.segments == nil {
		return none
	}
	s := c.hashes.Get().(*hasher)
	defer c.hashes.Put(s)
	s.h.Reset()
	s.h.Write(c.secret[:])
	// The lengths in front keep identity, surface and text apart.
	b := binary.LittleEndian.AppendUint64(s.buf[:0], uint64(len(identity)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(surface)))
	s.h.Write(append(append(b, identity...), surface...))
	for len(text) > 0 {
		n := copy(s.buf[:], text)
		s.h.Write(s.buf[:n])
		text = text[n:]
	}
	return s.key()
}

func (s *hasher) key() (k cacheKey) {
	copy(k[:], s.h.Sum(s.sum[:0]))
	return k
}

func (c *scoreCache) window(k cacheKey) (float32, bool) {
	if c.windows == nil {
		return 0, false
	}
	return c.windows.Get(k)
}

func (c *scoreCache) putWindow(k cacheKey, score float32) {
	if c.windows != nil {
		c.windows.Add(k, score)
	}
}

func (c *scoreCache) segment(k cacheKey) (segmentEntry, bool) {
	if c.segments == nil {
		return segmentEntry{}, false
	}
	return c.segments.Get(k)
}

func (c *scoreCache) putSegment(k cacheKey, e segmentEntry) {
	if c.segments != nil {
		c.segments.Add(k, e)
	}
}

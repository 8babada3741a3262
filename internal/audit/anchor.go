package audit

import (
	"fmt"
	"strconv"
	"strings"
)

// Anchor is one line's number and hash, kept outside the file.
type Anchor struct {
	Seq  uint64
	Hash Hash
}

// String returns "SEQ:HASH", the form that ParseAnchor reads.
func (a Anchor) String() string { return strconv.FormatUint(a.Seq, 10) + ":" + a.Hash.String() }

// MarshalText is String.
func (a Anchor) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// ParseAnchor reads "SEQ:HASH".
func ParseAnchor(s string) (Anchor, error) {
	seq, hash, ok := strings.Cut(s, ":")
	if !ok {
		return Anchor{}, fmt.Errorf("parse anchor: want SEQ:HASH")
	}
	n, err := strconv.ParseUint(seq, 10, 64)
	if err != nil || n == 0 {
		return Anchor{}, fmt.Errorf("parse anchor: line number %q is not a positive number", seq)
	}
	h, err := ParseHash(hash)
	if err != nil {
		return Anchor{}, fmt.Errorf("parse anchor: %w", err)
	}
	return Anchor{Seq: n, Hash: h}, nil
}

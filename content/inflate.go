package content

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"slices"
)

// maxInflate is the most that one compressed stream may unfold to, in bytes.
const maxInflate = 256 << 10

// streams undoes compression. Its readers are made once and used again, for they are far larger than most of what
// they read.
type streams struct {
	src  bytes.Reader
	gzip *gzip.Reader
	zlib io.ReadCloser

	out      [2][]byte // what the last two streams unfolded to: one of them may be what the next call reads
	turn     int
	measured []byte // the stream that was measured last, if it is the last that was read
	whole    bool   // whether it ends in these bytes
}

// mayInflate reports whether a stream of n bytes may be read: views have room for what it unfolds to, and no more streams were
// read than packedFactor times the payload.
func (sc *scan) mayInflate(n int) bool {
	return sc.budget > 0 && sc.packed+n <= max(packedFactor*len(sc.d.body), viewFloor)
}

// packedFactor is enough for streams that a payload is full of in two readings of it.
const packedFactor = 2

// inflated counts n bytes of a stream that unfolded to so many. Those that unfold to nothing count three times: a block of them
// takes as long as a view of fifty times its bytes, and no encoder writes many.
func (sc *scan) inflated(n, unfolded int) { sc.packed += n + 2*max(n-unfolded, 0) }

// reader returns a reader of what b unfolds to.
func (s *streams) reader(b []byte) (io.Reader, error) {
	s.src.Reset(b)
	if b[0] == 0x1f {
		if s.gzip == nil {
			s.gzip = new(gzip.Reader)
		}
		return s.gzip, s.gzip.Reset(&s.src)
	}
	if s.zlib == nil {
		z, err := zlib.NewReader(&s.src)
		if err != nil {
			return nil, err
		}
		s.zlib = z
		return z, nil
	}
	return s.zlib, s.zlib.(zlib.Resetter).Reset(&s.src, nil)
}

// inflate undoes one layer of gzip or zlib up to limit bytes, and returns how many bytes of b that took. cut is true when there was
// more; a stream that breaks off gives what stands before. What it returns holds until the call after the next.
func (s *streams) inflate(b []byte, limit int) (out []byte, n int, cut bool) {
	if n = len(s.measured); n == 0 || !bytes.HasPrefix(b, s.measured) || !s.whole && len(b) > n {
		_ = s.unpack(b, limit+1) // what is wrong with it is no concern of the reader of what there is
		n = len(b) - s.src.Len()
	}
	s.measured = s.measured[:0]
	out = s.out[s.turn]
	return out[:min(len(out), limit)], n, len(out) > limit
}

// unpack reads what b unfolds to, up to limit bytes.
func (s *streams) unpack(b []byte, limit int) error {
	s.turn = 1 - s.turn
	s.out[s.turn] = s.out[s.turn][:0]
	r, err := s.reader(b)
	if err == nil {
		s.out[s.turn], err = readUpTo(r, s.out[s.turn], limit)
	}
	return err
}

// length returns how many of the bytes b the stream at their start takes, and whether it ends in them. What it unfolds to is kept
// for inflate.
func (s *streams) length(b []byte) (n int, whole bool) {
	err := s.unpack(b, maxInflate)
	n, whole = len(b)-s.src.Len(), !errors.Is(err, io.ErrUnexpectedEOF)
	if s.measured = s.measured[:0]; n <= maxInflate && len(s.out[s.turn]) < maxInflate {
		s.measured, s.whole = append(s.measured, b[:n]...), whole
	}
	if errors.Is(err, gzip.ErrHeader) && n >= gzipHeader {
		n -= gzipHeader // what stands there begins no other stream
	}
	return n, whole
}

// gzipHeader is the length of what a stream of gzip begins with, in bytes.
const gzipHeader = 10

// readUpTo appends what r has to out, no more than limit bytes. The end is no error.
func readUpTo(r io.Reader, out []byte, limit int) ([]byte, error) {
	for len(out) < limit {
		out = slices.Grow(out, min(limit-len(out), 512))
		n, err := r.Read(out[len(out):min(cap(out), limit)])
		out = out[:len(out)+n]
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// compressed reports whether bytes begin a stream that inflate reads: the marks of its format, and a first block
// that there can be.
func compressed(b []byte) bool {
	if len(b) < 10 {
		return false
	}
	switch {
	case b[0] == 0x1f && b[1] == 0x8b && b[2] == 8:
		return b[3] != 0 || len(b) < 11 || blockBegins(b[10:])
	case b[0] == 0x78 && (uint(b[0])<<8|uint(b[1]))%31 == 0 && b[1]&0x20 == 0:
		return blockBegins(b[2:])
	}
	return false
}

// blockBegins reports whether bytes may begin a block of RFC 1951.
func blockBegins(b []byte) bool {
	switch b[0] >> 1 & 3 {
	case 0:
		return len(b) < 5 || b[1] == ^b[3] && b[2] == ^b[4]
	case 2:
		return len(b) < 2 || b[0]>>3 <= 29 && b[1]&0x1f <= 29
	case 3:
		return false
	}
	return true
}

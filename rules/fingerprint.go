package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// callHash is 128 bits of SHA-256 over service, tool, method and canonical arguments without the ignored members. Canonical means: object
// members in the order of their names, numbers by value (1, 1.0 and 1e0 are one number), every value tagged with its type and
// length so that no two arguments run together. An ignored name is a member of the arguments; dots descend into objects.
func callHash(ev *Event, ignore []string) (out [16]byte) {
	h := sha256.New()
	w := canonical{h: h}
	w.text(ev.Service)
	w.text(ev.Tool)
	w.text(ev.Method)
	args := ev.Args
	if args == nil {
		args = map[string]any{}
	}
	w.value(args, ignore)
	copy(out[:], h.Sum(nil))
	return out
}

type canonical struct {
	h   hash.Hash
	buf [17]byte
}

func (w *canonical) tag(kind byte, n uint64) {
	w.buf[0] = kind
	binary.BigEndian.PutUint64(w.buf[1:9], n)
	w.h.Write(w.buf[:9])
}

func (w *canonical) text(s string) {
	w.tag('s', uint64(len(s)))
	_, _ = io.WriteString(w.h, s) // a hash never fails to write
}

func (w *canonical) value(v any, ignore []string) {
	switch x := v.(type) {
	case nil:
		w.tag('z', 0)
	case bool:
		n := uint64(0)
		if x {
			n = 1
		}
		w.tag('b', n)
	case string:
		w.text(x)
	case int:
		w.tag('i', uint64(x))
	case int64:
		w.tag('i', uint64(x))
	case float64:
		// Integers within the exact range hash as integers, however they were written.
		if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			w.tag('i', uint64(int64(x)))
			return
		}
		w.tag('f', math.Float64bits(x))
	case []any:
		w.tag('l', uint64(len(x)))
		for i, item := range x {
			w.value(item, below(ignore, strconv.Itoa(i)))
		}
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			if !slices.Contains(ignore, k) {
				keys = append(keys, k)
			}
		}
		sort.Strings(keys)
		w.tag('m', uint64(len(keys)))
		for _, k := range keys {
			w.text(k)
			w.value(x[k], below(ignore, k))
		}
	default:
		w.tag('?', 0)
	}
}

// below keeps the ignored paths that continue under a member, without the member's name.
func below(ignore []string, name string) []string {
	var out []string
	for _, path := range ignore {
		if rest, ok := strings.CutPrefix(path, name+"."); ok {
			out = append(out, rest)
		}
	}
	return out
}

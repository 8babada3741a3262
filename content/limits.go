package content

// Limits bounds what [Parse] accepts. A zero field takes the default.
type Limits struct {
	// MaxBytes is the largest body, in bytes. Default 8 MiB.
	MaxBytes int
	// MaxDepth is the deepest nesting of objects and arrays; a scalar has depth 0. Default 128, which is
	// where the gateway's own parser gives up: accepting more would let the two disagree.
	MaxDepth int
	// MaxStrings is the largest number of strings, keys included. Default 500 000. Strings of JSON documents
	// that are embedded in strings do not count here; they are bounded by the bytes of their host.
	MaxStrings int
}

// Defaults of [Limits].
const (
	DefaultMaxBytes   = 8 << 20
	DefaultMaxDepth   = 128
	DefaultMaxStrings = 500_000
)

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	if l.MaxStrings <= 0 {
		l.MaxStrings = DefaultMaxStrings
	}
	return l
}

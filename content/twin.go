package content

// twinFrom is the length from which a text is compared with those that were made before, in bytes: few are so long.
const twinFrom = 2 << 10

// twin reports whether the text that was made last, which is to be that of v, was made before of the same text: two
// encodings may be undone in either order. Abridged texts that read alike may be of different places.
func (sc *scan) twin(v *view) bool {
	if v.abridged {
		return false
	}
	text := sc.trails.text
	for _, o := range sc.rewritten {
		if len(o.text) == len(text) && o.label == v.label && o.layer <= v.layer && o.root() == v.root() && o.text == string(text) {
			return true
		}
	}
	return false
}

// Package window decides which stretches of a text a classifier reads.
//
// It owns three pure decisions: where windows begin and end among a text's
// tokens, which runs of machine text (hashes, ids, numbers, base64) are not
// worth reading, and where a long text may be cut into blocks for tokenizing.
//
// It never tokenizes, adds control tokens or computes scores. Package
// inference is its caller.
package window

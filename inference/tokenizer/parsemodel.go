package tokenizer

import (
	"encoding/base64"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
)

func isNumeric(r rune) bool { return unicode.Is(unicode.N, r) }

// UnmarshalJSON reads the base64 text of a precompiled table; null is an empty one.
func (c *charsmapBytes) UnmarshalJSON(b []byte) error {
	s, err := jsontext.AppendUnquote(nil, b)
	if err != nil {
		return err
	}
	*c, err = base64.StdEncoding.AppendDecode(nil, s)
	return err
}

func parseModel(raw jsontext.Value, controls map[string]bool) (string, model, error) {
	if isNull(raw) {
		return "", nil, errors.New("model: missing")
	}
	name, err := typeOf("model", raw)
	if err != nil {
		return "", nil, err
	}
	var m model
	switch name {
	case "Unigram":
		m, err = parseUnigram(raw, controls)
	case "WordPiece":
		m, err = parseWordPiece(raw, controls)
	default:
		return "", nil, notImplemented("model", name)
	}
	if err != nil {
		return "", nil, fmt.Errorf("model %s: %w", name, err)
	}
	return name, m, nil
}

// scoredPieces is [["piece", score], …]. It is read token by token: a
// vocabulary of 250 000 pieces must not become half a million small objects.
type scoredPieces struct {
	pieces []string
	scores []float64
}

func (v *scoredPieces) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if err := expect(d, '['); err != nil {
		return err
	}
	for d.PeekKind() == '[' {
		if err := expect(d, '['); err != nil {
			return err
		}
		piece, err := d.ReadToken()
		if err != nil {
			return err
		}
		if piece.Kind() != '"' {
			return fmt.Errorf("entry %d: want a string and a score", len(v.pieces))
		}
		text := piece.String()
		score, err := d.ReadToken()
		if err != nil {
			return err
		}
		if score.Kind() != '0' {
			return fmt.Errorf("entry %d: want a string and a score", len(v.pieces))
		}
		v.pieces = append(v.pieces, text)
		value, err := score.Float()
		if err != nil {
			return fmt.Errorf("entry %d: %w", len(v.pieces)-1, err)
		}
		v.scores = append(v.scores, value)
		if err := expect(d, ']'); err != nil {
			return err
		}
	}
	return expect(d, ']')
}

func expect(d *jsontext.Decoder, kind jsontext.Kind) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != kind {
		return fmt.Errorf("want %q, found %q", byte(kind), t.String())
	}
	return nil
}

func parseUnigram(raw jsontext.Value, controls map[string]bool) (model, error) {
	var j struct {
		Type         string       `json:"type"`
		UnkID        *int32       `json:"unk_id"`
		Vocab        scoredPieces `json:"vocab"`
		ByteFallback bool         `json:"byte_fallback"`
	}
	if err := component("file", raw, &j); err != nil {
		return nil, err
	}
	switch {
	case j.ByteFallback:
		return nil, errors.New("byte_fallback is not implemented")
	case len(j.Vocab.pieces) == 0:
		return nil, errors.New("the vocabulary is empty")
	case j.UnkID == nil:
		return nil, errors.New("no unk_id")
	case *j.UnkID < 0 || int(*j.UnkID) >= len(j.Vocab.pieces):
		return nil, fmt.Errorf("unk_id %d is outside the vocabulary of %d", *j.UnkID, len(j.Vocab.pieces))
	}
	m := &unigram{scores: j.Vocab.scores, unknown: *j.UnkID}
	worst := math.Inf(1)
	entries := make([]trieEntry, 0, len(j.Vocab.pieces))
	for i, piece := range j.Vocab.pieces {
		worst = min(worst, m.scores[i])
		if !controls[piece] {
			entries = append(entries, trieEntry{piece, int32(i)})
		}
	}
	m.unknownScore = worst - unknownPenalty
	m.pieces = newTrie(entries)
	return m, nil
}

func parseWordPiece(raw jsontext.Value, controls map[string]bool) (model, error) {
	var j struct {
		Type    string           `json:"type"`
		Unknown string           `json:"unk_token"`
		Prefix  *string          `json:"continuing_subword_prefix"`
		Longest *int             `json:"max_input_chars_per_word"`
		Vocab   map[string]int32 `json:"vocab"`
	}
	if err := component("file", raw, &j); err != nil {
		return nil, err
	}
	if len(j.Vocab) == 0 {
		return nil, errors.New("the vocabulary is empty")
	}
	unknown, ok := j.Vocab[j.Unknown]
	if !ok {
		return nil, fmt.Errorf("unk_token %q is not in the vocabulary", j.Unknown)
	}
	m := &wordPiece{unknown: unknown, longest: 100}
	if j.Longest != nil {
		m.longest = *j.Longest
	}
	prefix := "##"
	if j.Prefix != nil {
		prefix = *j.Prefix
	}
	if prefix == "" {
		return nil, errors.New("an empty continuing_subword_prefix is not implemented")
	}
	var initial, continued []trieEntry
	for piece, id := range j.Vocab {
		if id < 0 || id > math.MaxInt32/2 {
			return nil, fmt.Errorf("piece %q has the id %d", piece, id)
		}
		m.count = max(m.count, int(id)+1)
		if controls[piece] {
			continue
		}
		// A word may itself begin with the prefix's characters.
		initial = append(initial, trieEntry{piece, id})
		if rest, ok := strings.CutPrefix(piece, prefix); ok {
			continued = append(continued, trieEntry{rest, id})
		}
	}
	m.initial, m.continued = newTrie(initial), newTrie(continued)
	return m, nil
}

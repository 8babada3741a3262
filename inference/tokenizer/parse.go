package tokenizer

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
)

// Parse reads a tokenizer.json. Every error names the component of the file
// that is wrong or not implemented.
func Parse(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("not a tokenizer.json: %w", err)
	}
	t := &Tokenizer{}
	var err error
	if t.normalizers, err = parseNormalizer(f.Normalizer, nil); err != nil {
		return nil, err
	}
	if t.pre, err = parsePreTokenizer(f.PreTokenizer); err != nil {
		return nil, err
	}
	controls, err := f.controls()
	if err != nil {
		return nil, err
	}
	post, err := parsePostProcessor(f.PostProcessor)
	if err != nil {
		return nil, err
	}
	t.prefix, t.suffix = post.prefix, post.suffix
	if t.kind, t.model, err = parseModel(f.Model, controls); err != nil {
		return nil, err
	}
	t.vocabSize = t.model.size()
	for _, a := range f.AddedTokens {
		t.vocabSize = max(t.vocabSize, int(a.ID)+1)
	}
	for _, id := range append(append([]int32{}, t.prefix...), t.suffix...) {
		if id < 0 || int(id) >= t.vocabSize {
			return nil, fmt.Errorf("post_processor: id %d is outside the vocabulary of %d", id, t.vocabSize)
		}
	}
	if f.Padding != nil {
		if f.Padding.PadID < 0 || int(f.Padding.PadID) >= t.vocabSize {
			return nil, fmt.Errorf("padding: pad_id %d is outside the vocabulary of %d", f.Padding.PadID, t.vocabSize)
		}
		t.pad = f.Padding.PadID
	}
	return t, nil
}

// file is the whole of tokenizer.json. Truncation and the decoder are not
// read: windows are planned elsewhere, and ids are never turned into text.
type file struct {
	Version       jsontext.Value `json:"version"`
	Truncation    jsontext.Value `json:"truncation"`
	Padding       *padding       `json:"padding"`
	AddedTokens   []addedToken   `json:"added_tokens"`
	Normalizer    jsontext.Value `json:"normalizer"`
	PreTokenizer  jsontext.Value `json:"pre_tokenizer"`
	PostProcessor jsontext.Value `json:"post_processor"`
	Decoder       jsontext.Value `json:"decoder"`
	Model         jsontext.Value `json:"model"`
}

type padding struct {
	PadID int32 `json:"pad_id"`
}

type addedToken struct {
	ID      int32  `json:"id"`
	Content string `json:"content"`
	Special bool   `json:"special"`
}

// controls returns the pieces that only the post-processor may produce.
func (f *file) controls() (map[string]bool, error) {
	set := make(map[string]bool, len(f.AddedTokens))
	for _, a := range f.AddedTokens {
		if !a.Special {
			return nil, fmt.Errorf("added_tokens: token %q is not special: added words are not implemented", a.Content)
		}
		if a.ID < 0 {
			return nil, fmt.Errorf("added_tokens: token %q has the id %d", a.Content, a.ID)
		}
		set[a.Content] = true
	}
	return set, nil
}

// component decodes one part of the pipeline and refuses members it does not
// know: an option that is skipped changes ids.
func component(kind string, raw jsontext.Value, into any) error {
	if err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}

func typeOf(kind string, raw jsontext.Value) (string, error) {
	var t struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return "", fmt.Errorf("%s: %w", kind, err)
	}
	if t.Type == "" {
		return "", fmt.Errorf("%s: no type", kind)
	}
	return t.Type, nil
}

func isNull(raw jsontext.Value) bool { return len(raw) == 0 || raw.Kind() == 'n' }

func notImplemented(kind, name string) error {
	return fmt.Errorf("%s %q is not implemented", kind, name)
}

// pattern is the two ways in which components name what they look for.
type pattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

type charsmapBytes []byte

func parseNormalizer(raw jsontext.Value, steps []normalizer) ([]normalizer, error) {
	if isNull(raw) {
		return steps, nil
	}
	name, err := typeOf("normalizer", raw)
	if err != nil {
		return nil, err
	}
	kind := "normalizer " + name
	var n struct {
		Type        string           `json:"type"`
		Normalizers []jsontext.Value `json:"normalizers"`
		Charsmap    charsmapBytes    `json:"precompiled_charsmap"`
		Pattern     pattern          `json:"pattern"`
		Content     string           `json:"content"`
		Left        bool             `json:"strip_left"`
		Right       bool             `json:"strip_right"`
		Prepend     string           `json:"prepend"`
		CleanText   bool             `json:"clean_text"`
		Chinese     bool             `json:"handle_chinese_chars"`
		Accents     *bool            `json:"strip_accents"`
		Lowercase   bool             `json:"lowercase"`
	}
	if err := component(kind, raw, &n); err != nil {
		return nil, err
	}
	switch name {
	case "Sequence":
		for _, sub := range n.Normalizers {
			if steps, err = parseNormalizer(sub, steps); err != nil {
				return nil, err
			}
		}
		return steps, nil
	case "Precompiled":
		m, err := parseCharsmap(n.Charsmap)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		return append(steps, m), nil
	case "Replace":
		step, err := parseReplace(n.Pattern, n.Content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		return append(steps, step), nil
	case "Strip":
		return append(steps, strip{n.Left, n.Right}), nil
	case "Lowercase":
		return append(steps, lowercase{}), nil
	case "NFC":
		return append(steps, unicodeForm{}), nil
	case "NFD":
		return append(steps, unicodeForm{decompose: true}), nil
	case "NFKC":
		return append(steps, unicodeForm{compat: true}), nil
	case "NFKD":
		return append(steps, unicodeForm{compat: true, decompose: true}), nil
	case "StripAccents":
		return append(steps, stripAccents{}), nil
	case "Nmt":
		return append(steps, nmt{}), nil
	case "Prepend":
		return append(steps, prepend{n.Prepend}), nil
	case "BertNormalizer":
		accents := n.Lowercase
		if n.Accents != nil {
			accents = *n.Accents
		}
		return append(steps, bertNormalizer{n.CleanText, n.Chinese, accents, n.Lowercase}), nil
	}
	return nil, notImplemented("normalizer", name)
}

func parseReplace(p pattern, content string) (normalizer, error) {
	switch {
	case p.String != nil && p.Regex == nil:
		if *p.String == "" {
			return nil, errors.New("the pattern is empty")
		}
		return replaceString{[]byte(*p.String), content}, nil
	case p.Regex != nil && p.String == nil:
		return newReplaceRegex(*p.Regex, content)
	}
	return nil, errors.New("want a pattern that is either a String or a Regex")
}

func parsePreTokenizer(raw jsontext.Value) (preTokenizer, error) {
	if isNull(raw) {
		return nil, nil
	}
	name, err := typeOf("pre_tokenizer", raw)
	if err != nil {
		return nil, err
	}
	kind := "pre_tokenizer " + name
	var p struct {
		Type           string           `json:"type"`
		PreTokenizers  []jsontext.Value `json:"pretokenizers"`
		Replacement    *string          `json:"replacement"`
		StrRep         *string          `json:"str_rep"`
		AddPrefixSpace *bool            `json:"add_prefix_space"`
		Scheme         *string          `json:"prepend_scheme"`
		Split          *bool            `json:"split"`
		Behavior       *string          `json:"behavior"`
		Individual     *bool            `json:"individual_digits"`
	}
	if err := component(kind, raw, &p); err != nil {
		return nil, err
	}
	switch name {
	case "Sequence":
		var steps sequence
		for _, sub := range p.PreTokenizers {
			step, err := parsePreTokenizer(sub)
			if err != nil {
				return nil, err
			}
			if step != nil {
				steps = append(steps, step)
			}
		}
		return steps, nil
	case "Metaspace":
		m := metaspace{mark: "\u2581", cut: p.Split == nil || *p.Split}
		if p.Replacement != nil {
			m.mark = *p.Replacement
		}
		if len([]rune(m.mark)) != 1 {
			return nil, fmt.Errorf("%s: the replacement %q is not one character", kind, m.mark)
		}
		if m.scheme, err = parseScheme(p.Scheme, p.AddPrefixSpace); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		return m, nil
	case "WhitespaceSplit":
		return splitRunes{isSpace, removed}, nil
	case "BertPreTokenizer":
		return sequence{splitRunes{isSpace, removed}, splitRunes{isPunctuation, isolated}}, nil
	case "Punctuation":
		b, err := parseBehavior(p.Behavior)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		return splitRunes{isPunctuation, b}, nil
	case "Digits":
		if p.Individual != nil && *p.Individual {
			return splitRunes{isNumeric, isolated}, nil
		}
		return splitRunes{isNumeric, contiguous}, nil
	}
	return nil, notImplemented("pre_tokenizer", name)
}

func parseScheme(scheme *string, addPrefix *bool) (prependScheme, error) {
	if scheme == nil {
		if addPrefix != nil && !*addPrefix {
			return prependNever, nil
		}
		return prependAlways, nil
	}
	switch *scheme {
	case "always":
		return prependAlways, nil
	case "first":
		return prependFirst, nil
	case "never":
		return prependNever, nil
	}
	return 0, fmt.Errorf("prepend_scheme %q is not implemented", *scheme)
}

func parseBehavior(name *string) (behavior, error) {
	if name == nil {
		return isolated, nil
	}
	switch *name {
	case "Isolated":
		return isolated, nil
	case "Removed":
		return removed, nil
	case "Contiguous":
		return contiguous, nil
	case "MergedWithPrevious":
		return mergedWithPrevious, nil
	case "MergedWithNext":
		return mergedWithNext, nil
	}
	return 0, fmt.Errorf("behavior %q is not implemented", *name)
}

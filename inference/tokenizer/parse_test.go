package tokenizer_test

import (
	"encoding/base64"
	"encoding/json/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
)

// parts builds a tokenizer.json from the parts that differ from a small
// Unigram file.
func parts(t testing.TB, change map[string]any) []byte {
	t.Helper()
	special := func(id int, content string) map[string]any {
		return map[string]any{"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}
	}
	file := map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "decoder": nil, "normalizer": nil,
		"added_tokens":  []any{special(0, "[CLS]"), special(1, "[SEP]"), special(2, "[UNK]")},
		"pre_tokenizer": map[string]any{"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
		"post_processor": map[string]any{
			"type":           "TemplateProcessing",
			"single":         []any{control("[CLS]"), sequence("A"), control("[SEP]")},
			"pair":           []any{},
			"special_tokens": map[string]any{"[CLS]": ids("[CLS]", 0), "[SEP]": ids("[SEP]", 1)},
		},
		"model": unigram([]any{piece("[CLS]", 0), piece("[SEP]", 0), piece("[UNK]", 0), piece("\u2581", -2), piece("a", -3), piece("\u2581a", -4), piece("b", -3)}, 2),
	}
	for k, v := range change {
		file[k] = v
	}
	data, err := json.Marshal(file)
	require.NoError(t, err)
	return data
}

func control(name string) any {
	return map[string]any{"SpecialToken": map[string]any{"id": name, "type_id": 0}}
}
func sequence(name string) any {
	return map[string]any{"Sequence": map[string]any{"id": name, "type_id": 0}}
}
func ids(name string, id int) any {
	return map[string]any{"id": name, "ids": []int{id}, "tokens": []string{name}}
}
func piece(text string, score float64) any { return []any{text, score} }
func unigram(vocab []any, unk any) map[string]any {
	return map[string]any{"type": "Unigram", "vocab": vocab, "unk_id": unk, "byte_fallback": false}
}

func TestParseAccepts(t *testing.T) {
	tok, err := tokenizer.Parse(parts(t, map[string]any{"padding": map[string]any{"strategy": "BatchLongest", "pad_id": 1, "pad_token": "[SEP]"}}))
	require.NoError(t, err)
	require.Equal(t, "Unigram", tok.Kind())
	require.Equal(t, 7, tok.VocabSize())
	require.Equal(t, []int32{0}, tok.Prefix())
	require.Equal(t, []int32{1}, tok.Suffix())
	require.Equal(t, int32(1), tok.Pad())
	require.Equal(t, []int32{0, 5, 3, 6, 1}, framed(tok, "a b"))

	bare, err := tokenizer.Parse(parts(t, map[string]any{"post_processor": nil, "pre_tokenizer": nil}))
	require.NoError(t, err)
	require.Equal(t, []int32{4, 2, 6}, framed(bare, "a b"))
}

func TestAddedIDsCountForTheVocabulary(t *testing.T) {
	tok, err := tokenizer.Parse(parts(t, map[string]any{"added_tokens": []any{map[string]any{"id": 40, "content": "[MASK]", "special": true}}}))
	require.NoError(t, err)
	require.Equal(t, 41, tok.VocabSize())
}

func TestParseRefuses(t *testing.T) {
	typed := func(name string, more ...any) map[string]any {
		m := map[string]any{"type": name}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	regex := func(p string) map[string]any {
		return typed("Replace", "pattern", map[string]any{"Regex": p}, "content", " ")
	}
	vocab := []any{piece("a", -1), piece("b", -2)}
	tests := []struct {
		name   string
		change map[string]any
		want   string
	}{
		{"unknown normalizer", map[string]any{"normalizer": typed("ByteLevel")}, `normalizer "ByteLevel" is not implemented`},
		{"unknown normalizer in a sequence", map[string]any{"normalizer": typed("Sequence", "normalizers", []any{typed("NFC"), typed("Punycode")})}, `normalizer "Punycode" is not implemented`},
		{"normalizer without a type", map[string]any{"normalizer": map[string]any{"x": 1}}, "normalizer: no type"},
		{"normalizer is no object", map[string]any{"normalizer": 7}, "normalizer"},
		{"unknown option", map[string]any{"normalizer": typed("Strip", "strip_middle", true)}, "strip_middle"},
		{"empty pattern", map[string]any{"normalizer": typed("Replace", "pattern", map[string]any{"String": ""}, "content", "")}, "the pattern is empty"},
		{"no pattern", map[string]any{"normalizer": typed("Replace", "pattern", map[string]any{}, "content", "")}, "either a String or a Regex"},
		{"look-ahead", map[string]any{"normalizer": regex(`a(?=b)`)}, `group "(?=`},
		{"anchor", map[string]any{"normalizer": regex(`^a`)}, "anchor '^'"},
		{"word class", map[string]any{"normalizer": regex(`\w+`)}, `escape "\\w"`},
		{"word boundary", map[string]any{"normalizer": regex(`a\b`)}, `escape "\\b"`},
		{"back reference", map[string]any{"normalizer": regex(`(a)\1`)}, `escape "\\1"`},
		{"possessive", map[string]any{"normalizer": regex(`a++`)}, "Replace"},
		{"empty match", map[string]any{"normalizer": regex(`a*`)}, "matches the empty string"},
		{"nested class", map[string]any{"normalizer": regex(`[a[b]]`)}, "nested character class"},
		{"class intersection", map[string]any{"normalizer": regex(`[a-z&&b]`)}, "nested character class"},
		{"open class", map[string]any{"normalizer": regex(`[a`)}, "Replace"},
		{"trailing backslash", map[string]any{"normalizer": regex(`a\`)}, "trailing backslash"},
		{"open repetition", map[string]any{"normalizer": regex(`a{,3}`)}, "repetition"},
		{"charsmap is no base64", map[string]any{"normalizer": typed("Precompiled", "precompiled_charsmap", "!!")}, "Precompiled"},
		{"charsmap too short", map[string]any{"normalizer": typed("Precompiled", "precompiled_charsmap", "AAA=")}, "shorter than its header"},
		{"charsmap length", map[string]any{"normalizer": typed("Precompiled", "precompiled_charsmap", base64.StdEncoding.EncodeToString([]byte{255, 255, 255, 255, 1}))}, "does not fit"},
		{"unknown pre-tokenizer", map[string]any{"pre_tokenizer": typed("ByteLevel", "add_prefix_space", true)}, `pre_tokenizer "ByteLevel" is not implemented`},
		{"unknown pre-tokenizer in a sequence", map[string]any{"pre_tokenizer": typed("Sequence", "pretokenizers", []any{typed("UnicodeScripts")})}, `"UnicodeScripts"`},
		{"unknown scheme", map[string]any{"pre_tokenizer": typed("Metaspace", "prepend_scheme", "sometimes")}, "sometimes"},
		{"long replacement", map[string]any{"pre_tokenizer": typed("Metaspace", "replacement", "__")}, "one character"},
		{"unknown behavior", map[string]any{"pre_tokenizer": typed("Punctuation", "behavior", "Doubled")}, "Doubled"},
		{"unknown post-processor", map[string]any{"post_processor": typed("ByteLevel")}, `post_processor "ByteLevel"`},
		{"template without ids", map[string]any{"post_processor": typed("TemplateProcessing", "single", []any{control("[X]"), sequence("A")}, "pair", []any{}, "special_tokens", map[string]any{})}, `"[X]" has no ids`},
		{"template of two texts", map[string]any{"post_processor": typed("TemplateProcessing", "single", []any{sequence("A"), sequence("B")}, "special_tokens", map[string]any{})}, "holds 2 texts"},
		{"template of no text", map[string]any{"post_processor": typed("TemplateProcessing", "single", []any{}, "special_tokens", map[string]any{})}, "holds 0 texts"},
		{"template id outside", map[string]any{"post_processor": typed("BertProcessing", "sep", []any{"[SEP]", 99}, "cls", []any{"[CLS]", 0})}, "id 99 is outside"},
		{"padding id outside", map[string]any{"padding": map[string]any{"pad_id": 99}}, "pad_id 99"},
		{"word of its own", map[string]any{"added_tokens": []any{map[string]any{"id": 9, "content": "<url>", "special": false}}}, `"<url>" is not special`},
		{"no model", map[string]any{"model": nil}, "model: missing"},
		{"byte pairs", map[string]any{"model": typed("BPE")}, `model "BPE" is not implemented`},
		{"byte fallback", map[string]any{"model": typed("Unigram", "unk_id", 0, "byte_fallback", true, "vocab", vocab)}, "byte_fallback"},
		{"no unknown", map[string]any{"model": unigram(vocab, nil)}, "no unk_id"},
		{"unknown outside", map[string]any{"model": unigram(vocab, 2)}, "unk_id 2"},
		{"empty vocabulary", map[string]any{"model": unigram([]any{}, 0)}, "vocabulary is empty"},
		{"score is text", map[string]any{"model": unigram([]any{[]any{"a", "b"}}, 0)}, "a string and a score"},
		{"entry is too long", map[string]any{"model": unigram([]any{[]any{"a", 1, 2}}, 0)}, "Unigram"},
		{"word pieces without the unknown", map[string]any{"model": typed("WordPiece", "unk_token", "[UNK]", "vocab", map[string]int{"a": 0})}, `"[UNK]" is not in the vocabulary`},
		{"word pieces without a prefix", map[string]any{"model": typed("WordPiece", "unk_token", "a", "continuing_subword_prefix", "", "vocab", map[string]int{"a": 0})}, "continuing_subword_prefix"},
		{"negative id", map[string]any{"model": typed("WordPiece", "unk_token", "a", "vocab", map[string]int{"a": 0, "b": -4})}, "-4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := tokenizer.Parse(parts(t, test.change))
			require.ErrorContains(t, err, test.want)
		})
	}
	for _, data := range []string{"", "{", "[]", "null x", `{"model":{"type":"Unigram"},"model":{}}`} {
		_, err := tokenizer.Parse([]byte(data))
		require.Error(t, err, data)
	}
}

func TestPatternsMatchAsTheReferenceDoes(t *testing.T) {
	// Unicode white space, classes, alternatives and lazy repetition; what a
	// pattern replaces is seen in the ids of "b", the replacement.
	for pattern, texts := range map[string]map[string]string{
		`\s+`:        {"a \t\u00a0\u3000\u2028a": "aba", "a\u200ba": "a\u200ba", "a\u0085a": "aba"},
		` {2,}`:      {"a  a": "aba", "a a": "a a"},
		`[\s\-]{2,}`: {"a- a": "aba", "a-a": "a-a"},
		`\d`:         {"a7\u0664a": "abba"},
		`\S\d`:       {"ax1a": "aba"},
		`(?:x|yy)+?`: {"axyyxa": "abbba"},
		`[^a]`:       {"axya": "abba"},
		`\.`:         {"a.xa": "abxa"},
		`\p{Lu}`:     {"aXa": "aba"},
	} {
		tok, err := tokenizer.Parse(parts(t, map[string]any{
			"normalizer": map[string]any{"type": "Replace", "pattern": map[string]any{"Regex": pattern}, "content": "b"},
		}))
		require.NoError(t, err, pattern)
		plain, err := tokenizer.Parse(parts(t, nil))
		require.NoError(t, err)
		for text, want := range texts {
			require.Equal(t, framed(plain, want), framed(tok, text), "%s on %q", pattern, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(parts(f, nil)))
	for _, name := range []string{"nfkc-lower", "punct-contiguous"} {
		f.Add(string(golden(f, name+".json.gz")))
	}
	f.Add(strings.ReplaceAll(string(parts(f, nil)), "-2", "1e300"))
	f.Fuzz(func(t *testing.T, data string) {
		tok, err := tokenizer.Parse([]byte(data))
		if err != nil {
			return
		}
		for _, token := range tok.Encode(nil, "a b[SEP]\u00e9 \u65e5\U0001F600") {
			if token.ID < 0 || int(token.ID) >= tok.VocabSize() {
				t.Fatalf("id %d of %d", token.ID, tok.VocabSize())
			}
		}
	})
}

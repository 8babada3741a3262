package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHiddenText(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // detector and severity
	}{
		{"one soft hyphen", "hyphen\u00adation of compu\u00adters", nil},
		{"letters behind soft hyphens", "i\u00adg\u00adn\u00ado\u00adr\u00ade", []string{"zero-width block", "zero-width block", "zero-width block"}},
		{"zero-width space between words", "one \u200b two", []string{"format-character note"}},
		{"zero-width space in Thai", "สวัสดี\u200bครับ", nil},
		{"zero-width joiner in Devanagari", "क्\u200dष", nil},
		{"non-joiner in Persian", "می\u200cخواهم", nil},
		{"non-joiner in Latin", "t\u200coken", []string{"zero-width block"}},
		{"profession with skin tone", "\U0001f9d1\U0001f3fd\u200d\U0001f680", nil},
		{"eye in speech bubble", "\U0001f441\ufe0f\u200d\U0001f5e8\ufe0f", nil},
		{"woman running", "\U0001f3c3\u200d\u2640\ufe0f", nil},
		{"emoji then letters", "\U0001f680\ufe0f launch", nil},
		{"keycap", "1\ufe0f\u20e3", nil},
		{"ideographic variation", "\u845b\U000e0100城", nil},
		{"variation selectors spell bytes", "\U0001f600\U000e0148\U000e0155\U000e015c", []string{"variation-selectors block"}},
		{"variation selectors after a letter", "a\ufe00\ufe01\ufe02", []string{"variation-selectors block"}},
		{"flag of Scotland", "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", nil},
		{"text behind a black flag", "\U0001f3f4\U000e0073\U000e0065\U000e006e\U000e0064\U000e007f", []string{"unicode-tags block"}},
		{"flag that never ends", "\U0001f3f4\U000e0067\U000e0062", []string{"unicode-tags block"}},
		{"tags alone", "\U000e0061", []string{"unicode-tags block"}},
		{"override in Latin", "a \u202e b", []string{"bidi-control block"}},
		{"override in Hebrew", "שלום \u202e b", []string{"bidi-control review"}},
		{"direction mark in Hebrew", "שלום\u200f 123", nil},
		{"isolates around a name", "\u2068Kim\u2069 has joined", []string{"format-character note", "format-character note"}},
		{"embedding between letters", "ad\u202amin", []string{"bidi-control block"}},
		{"binary in zero-width characters", "x \u200b\u200c\u200b\u200b\u200c\u200b\u200c\u200b y", []string{"zero-width block"}},
		{"file with a byte order mark", "\ufeffname,city", nil},
		{"byte order mark inside a word", "na\ufeffme", []string{"zero-width block"}},
		{"filler between letters", "pass\u3164word", []string{"zero-width block"}},
		{"filler in Korean", "가\u3164나", nil},
		{"NUL inside a word", "pass\x00word", []string{"control-characters block"}},
		{"UTF-16 read as bytes", "o\x00k\x00.\x00", []string{"control-characters review", "control-characters review", "control-characters review"}},
		{"NUL at the end", "word\x00", []string{"control-characters review"}},
		{"manual page", "N\bNA\bAM\bME\bE _\bx", nil},
		{"backspace over other text", "safe\b\b\b\bevil", []string{"control-characters block"}},
		{"form feed", "a\fb", nil},
		{"colours", "\x1b[1;32mok\x1b[0m", []string{"ansi-escape note", "ansi-escape note"}},
		{"escape without a sequence", "a\x1bzb", []string{"control-characters block"}},
		{"punctuation decoded wrongly", "don\u0092t", []string{"control-characters note"}},
		{"C1 control", "a\u009bb", []string{"control-characters review"}},
		{"piled marks", "Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a", []string{"combining-flood review"}},
		{"Vietnamese in decomposed form", "Vie\u0323\u0302t Nam", nil},
		{"annotation", "a\ufff9b\ufffac\ufffb", []string{"format-character review", "format-character review", "format-character review"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range scanText(t, tt.text).Findings {
				require.Equal(t, CategoryHiddenText, f.Category)
				require.Empty(t, f.Mask)
				got = append(got, f.Detector+" "+f.Severity.String())
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestHiddenTextBehindAnEncoding(t *testing.T) {
	r := scanText(t, "x &#x202e;snoitcurtsni&#x202c; y")
	require.Contains(t, detectors(r), "bidi-control")
	require.Equal(t, Note, worst(scanText(t, `printf("\x00\x01\x1b[0m")`)))
}

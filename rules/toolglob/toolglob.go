// Package toolglob says which texts are globs on the names of tools, services and
// routes. It only reads texts: the rules compile them, the settings refuse wrong ones
// early. It imports nothing of the product, so that both can ask it.
package toolglob

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes bounds one glob.
const MaxBytes = 256

// Check accepts a glob in which * stands for any run of characters, ? for any one, and
// everything else for itself. The notations of other globs are refused: read as they
// stand they would match next to nothing, and a list that denies nothing says so
// nowhere. The error quotes the glob.
func Check(text string) error {
	switch {
	case text == "":
		return errors.New("is an empty glob")
	case len(text) > MaxBytes:
		return fmt.Errorf("holds a glob over %d bytes", MaxBytes)
	case !utf8.ValidString(text), strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%s holds a character that cannot be seen", strconv.QuoteToASCII(text))
	case strings.ContainsAny(text, `[]{}\`):
		return fmt.Errorf("%q holds one of []{}\\: a glob knows * and ? alone, and ? stands for any one character", text)
	case strings.ContainsAny(text, `";|`) || strings.Trim(text, "'") != text:
		return fmt.Errorf("%q holds a quotation mark or a separator: write globs bare, each for itself", text)
	case text[0] == '!':
		return fmt.Errorf("%q begins with !: a glob cannot be turned round", text)
	}
	return nil
}

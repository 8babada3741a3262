package sallyport

import (
	"context"
	"encoding/json/jsontext"
	"net/url"
	"strings"

	"github.com/sallyport-mcp/sallyport/content"
)

// masked stands for a name that a detector finds something in.
const masked = "[REDACTED]"

// cleaner keeps matched text that stands where names should be out of the audit
// trail: member names become part of a pointer, and a resource is named by its URI.
type cleaner struct {
	scanner *content.Scanner
	known   map[string][]string // the categories of what is found in a name
}

func newCleaner(s *content.Scanner) *cleaner {
	return &cleaner{scanner: s}
}

// pointer replaces every reference token of a JSON pointer that a detector of any
// kind finds something in: the finding is recorded, and its text would be, too. A
// sentence is replaced as well, which only the model may have found something in.
func (c *cleaner) pointer(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i] = c.member(part)
	}
	return strings.Join(parts, "/")
}

// member replaces the name of one member.
func (c *cleaner) member(name string) string {
	if name != "" && (sentence(name) || len(c.found(name)) > 0) {
		return masked
	}
	return name
}

// sentence tells text from a name: five words or more.
func sentence(text string) bool { return len(strings.Fields(text)) >= 5 }

// name replaces what a call is about when a detector finds text in it that the trail
// must not hold. Hidden and look-alike characters stay: the trail writes them escaped,
// and who reads it needs to know which tool imitates another.
func (c *cleaner) name(text string) string {
	if plain(text) {
		return text
	}
	for _, category := range c.found(text) {
		if category != content.CategoryHiddenText {
			return masked
		}
	}
	return text
}

// plain tells names that need no scan: short, of letters and what joins them, and
// with fewer digits than anything has that is known by its shape.
func plain(text string) bool {
	digits := 0
	for i := range len(text) {
		switch b := text[i]; {
		case b >= '0' && b <= '9':
			digits++
		case b|0x20 >= 'a' && b|0x20 <= 'z', b == '_', b == '-', b == '.', b == '/':
		default:
			return false
		}
	}
	return len(text) < minShape && digits < minDigits
}

// Below these a name of letters is not scanned: the shortest token that a detector
// knows by its shape alone has 20 bytes, and no card, account or telephone number
// has fewer than 6 digits.
const minShape, minDigits = 20, 4

// unreadable stands for a name that could not be scanned.
var unreadable = []string{content.CategoryPolicy}

// found names the categories of what detectors find in a name, read as if it were a
// text of a result.
func (c *cleaner) found(text string) []string {
	if categories, ok := c.known[text]; ok {
		return categories
	}
	if c.known == nil {
		c.known = make(map[string][]string)
	}
	categories := c.scan(text)
	c.known[text] = categories
	return categories
}

func (c *cleaner) scan(text string) (categories []string) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return unreadable
	}
	doc, err := content.Parse(quoted, content.Limits{})
	if err != nil {
		return unreadable
	}
	if err := doc.Assign("", content.SideResponse); err != nil {
		return unreadable
	}
	report, err := c.scanner.Scan(context.Background(), doc, content.SideResponse)
	if err != nil {
		return unreadable
	}
	for _, f := range report.Findings {
		categories = append(categories, f.Category)
	}
	return categories
}

// subject cleans what a call is about. A URI loses its user information and query,
// where credentials travel.
func (c *cleaner) subject(text string) string {
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		text = u.String()
	}
	return c.name(text)
}

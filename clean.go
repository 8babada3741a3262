package sallyport

import (
	"context"
	"encoding/json/jsontext"
	"net/url"
	"strings"

	"github.com/sallyport-mcp/sallyport/content"
)

// masked stands for a name that is itself a secret.
const masked = "[REDACTED]"

// cleaner keeps secrets that stand where names should be out of the audit trail:
// member names become part of a pointer, and a resource is named by its URI.
type cleaner struct {
	scanner *content.Scanner
	known   map[string]string
}

func newCleaner(s *content.Scanner) *cleaner {
	return &cleaner{scanner: s}
}

// pointer cleans every reference token of a JSON pointer.
func (c *cleaner) pointer(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i] = c.name(part)
	}
	return strings.Join(parts, "/")
}

// name returns text, or a placeholder when a detector of secrets or personal data
// finds something in it.
func (c *cleaner) name(text string) string {
	if len(text) < minSecret && !strings.ContainsAny(text, "=:@ ") {
		return text
	}
	if clean, ok := c.known[text]; ok {
		return clean
	}
	clean := text
	if c.sensitive(text) {
		clean = masked
	}
	if c.known == nil {
		c.known = make(map[string]string)
	}
	c.known[text] = clean
	return clean
}

// minSecret is the length below which a name is not looked at, in bytes, unless it
// has a character that joins a label to a value: the shortest token that a detector
// knows by its shape alone is longer.
const minSecret = 20

// sensitive scans a name as if it were the text of a call.
func (c *cleaner) sensitive(text string) bool {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return true
	}
	doc, err := content.Parse(quoted, content.Limits{})
	if err != nil {
		return true
	}
	if err := doc.Assign("", content.SideResponse); err != nil {
		return true
	}
	report, err := c.scanner.Scan(context.Background(), doc, content.SideResponse)
	if err != nil {
		return true
	}
	for _, f := range report.Findings {
		if f.Category == content.CategorySecret || f.Category == content.CategoryPersonalData {
			return true
		}
	}
	return false
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

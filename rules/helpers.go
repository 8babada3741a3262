package rules

import "github.com/sallyport-mcp/sallyport/rules/values"

// Helpers are the implementations behind the functions of the predicate language. The engine injects its own where it has a
// better parser (Compile with [WithHelpers]); a nil field keeps the default of package values. Every function must be pure, safe
// for concurrent use, linear in its input and must not keep it. A value is what JSON decodes to: map[string]any, []any, string,
// bool, int64, float64 or nil.
type Helpers struct {
	// Unescape undoes one layer of escapes of a text for the defaults of Recipients, URLs and InDomains, and reports whether there
	// were any.
	Unescape func(text string) (plain string, changed bool)

	Recipients func(value any) []string                    // every mail address anywhere in the value
	URLs       func(value any) []string                    // every URL anywhere in the value
	Host       func(url string) string                     // the host a client would connect to; "" when there is none
	InDomains  func(hostOrMail string, list []string) bool // exact domain, or a subdomain of a "*." entry
	IsPrivate  func(host string) bool                      // loopback, private, link-local, cluster names
	Texts      func(value any) []string                    // every string anywhere in the value, keys included
	Norm       func(text string) string                    // NFKC, case folded, invisible characters removed, blanks collapsed
}

// filled returns h with defaults for the functions it lacks.
func (h Helpers) filled() Helpers {
	reader := values.Reader{Unescape: h.Unescape}
	if h.Recipients == nil {
		h.Recipients = reader.Recipients
	}
	if h.URLs == nil {
		h.URLs = reader.URLs
	}
	if h.Host == nil {
		h.Host = values.Host
	}
	if h.InDomains == nil {
		h.InDomains = reader.InDomains
	}
	if h.IsPrivate == nil {
		h.IsPrivate = values.IsPrivate
	}
	if h.Texts == nil {
		h.Texts = values.Texts
	}
	if h.Norm == nil {
		h.Norm = values.Norm
	}
	return h
}

package rules

import "github.com/sallyport-mcp/sallyport/rules/values"

// Helpers are the implementations behind the functions of the predicate language. The engine injects its own where it has a
// better parser (Compile with [WithHelpers]); a nil field keeps the default of package values. Every function must be pure, safe
// for concurrent use, linear in its input and must not keep it. A value is what JSON decodes to: map[string]any, []any, string,
// bool, int64, float64 or nil.
type Helpers struct {
	Recipients func(value any) []string                    // every mail address anywhere in the value
	URLs       func(value any) []string                    // every URL anywhere in the value
	Host       func(url string) string                     // the host a client would connect to; "" when there is none
	InDomains  func(hostOrMail string, list []string) bool // exact domain, or a subdomain of a "*." entry
	IsPrivate  func(host string) bool                      // loopback, private, link-local, cluster names
	Texts      func(value any) []string                    // every string anywhere in the value, keys included
	Norm       func(text string) string                    // NFKC, case folded, invisible characters removed, blanks collapsed
}

// DefaultHelpers are the implementations of package values.
func DefaultHelpers() Helpers {
	return Helpers{
		Recipients: values.Recipients,
		URLs:       values.URLs,
		Host:       values.Host,
		InDomains:  values.InDomains,
		IsPrivate:  values.IsPrivate,
		Texts:      values.Texts,
		Norm:       values.Norm,
	}
}

// filled returns h with defaults for the functions it lacks.
func (h Helpers) filled() Helpers {
	d := DefaultHelpers()
	if h.Recipients != nil {
		d.Recipients = h.Recipients
	}
	if h.URLs != nil {
		d.URLs = h.URLs
	}
	if h.Host != nil {
		d.Host = h.Host
	}
	if h.InDomains != nil {
		d.InDomains = h.InDomains
	}
	if h.IsPrivate != nil {
		d.IsPrivate = h.IsPrivate
	}
	if h.Texts != nil {
		d.Texts = h.Texts
	}
	if h.Norm != nil {
		d.Norm = h.Norm
	}
	return d
}

package content

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Detector is a detector that a rule pack adds.
type Detector struct {
	// Name is unique among all detectors, built-in ones included.
	Name string
	// Category is one of the Category constants; "" means policy.
	Category string
	// Severity applies to both sides, except that a maskable match in a response is a note.
	Severity Severity
	// Keywords gate the pattern: it runs only on a text that contains one of them, ASCII case ignored. Each
	// has at least three bytes. Without keywords the pattern runs on every text, which costs.
	Keywords []string
	// Pattern is RE2. Its first capture group, if it has one, is the match.
	Pattern string
	// Validator is the name of a check that a match must pass: "", "luhn", "iban", "ssn", "entropy".
	Validator string
	// Roles are the roles it applies to, by name; none means all.
	Roles []string
	// Views are the views it applies to; none means all.
	Views []string
	// Mask is the TYPE that redaction writes for a match; "" leaves the match as it is.
	Mask string
	// Side limits it to "request" or "response"; "" or "both" means both.
	Side string
}

// AllowEntry silences findings. An entry matches when all that it names matches; one that names neither
// Literal nor Pattern nor Path silences its detector.
type AllowEntry struct {
	// Detector is the detector to silence, "" for all. Detectors of hidden text cannot be silenced without a name.
	Detector string
	// Literal is the exact matched text.
	Literal string
	// Pattern is RE2 and must match the whole matched text.
	Pattern string
	// Path is the prefix of the RFC 6901 pointer.
	Path string
}

// detector is what every hit refers to.
type detector struct {
	id                   int // index in the scanner's list of detectors
	name, category, mask string
	severity             [2]Severity // by side, before masking
	highEntropy          bool
	keyBlocks            bool // a match in a key, which cannot be masked, blocks; else it is a review
	generic              bool // yields to any detector that knows the secret by its shape
}

func (t *detector) maskable() bool { return t.mask != "" }

// userDetector is a compiled Detector.
type userDetector struct {
	*detector
	re       *regexp.Regexp
	group    int
	gated    bool
	validate func(string) bool
	roles    []bool // by Role, nil for all
	views    []string
	side     string
}

type allowRule struct {
	AllowEntry
	re *regexp.Regexp
}

// Scanner runs the built-in detectors and those it was compiled with. It is immutable.
type Scanner struct {
	index   *keywordIndex
	user    []userDetector
	allow   []allowRule
	ungated bool // a user detector reads every text
}

var builtinScanner = mustBuiltin()

func mustBuiltin() *Scanner {
	s, err := Compile(nil, nil)
	if err != nil {
		panic(err)
	}
	return s
}

// Builtin returns the scanner with the built-in detectors alone.
func Builtin() *Scanner { return builtinScanner }

// maxUserPattern bounds a pattern's source, in bytes: repeat counts expand when it is compiled.
const maxUserPattern = 4096

var validators = map[string]func(string) bool{
	"":        nil,
	"luhn":    func(s string) bool { return luhn(digitsOf(s)) },
	"iban":    func(s string) bool { return ibanValid(s) },
	"ssn":     func(s string) bool { d := digitsOf(s); return len(d) == 9 && ssnValid(d) },
	"entropy": func(s string) bool { return entropy(s) >= 3.5 },
}

// Compile builds a scanner of the built-in detectors, user detectors and allow entries. Errors name the
// detector or the entry and the field.
func Compile(user []Detector, allow []AllowEntry) (*Scanner, error) {
	s := &Scanner{}
	words := builtinKeywords()
	seen := map[string]bool{}
	for _, b := range builtinDetectors {
		seen[b.name] = true
	}
	for i, u := range user {
		c, err := compileDetector(u, seen)
		if err != nil {
			return nil, err
		}
		c.id = len(builtinDetectors) + i
		s.user = append(s.user, c)
		s.ungated = s.ungated || !c.gated
		for _, k := range u.Keywords {
			words = append(words, keyword{text: k, user: i + 1})
		}
	}
	for i, a := range allow {
		r := allowRule{AllowEntry: a}
		if a == (AllowEntry{}) {
			return nil, fmt.Errorf("compile allow entry %d: names nothing", i)
		}
		if a.Pattern != "" {
			re, err := regexp.Compile(`\A(?:` + a.Pattern + `)\z`)
			if err != nil {
				return nil, fmt.Errorf("compile allow entry %d: pattern: %w", i, err)
			}
			r.re = re
		}
		if a.Detector != "" && !seen[a.Detector] {
			return nil, fmt.Errorf("compile allow entry %d: unknown detector %q", i, a.Detector)
		}
		s.allow = append(s.allow, r)
	}
	var err error
	if s.index, err = newKeywordIndex(words); err != nil {
		return nil, err
	}
	return s, nil
}

func compileDetector(u Detector, seen map[string]bool) (userDetector, error) {
	fail := func(field string, err error) (userDetector, error) {
		return userDetector{}, fmt.Errorf("compile detector %q: %s: %w", u.Name, field, err)
	}
	switch {
	case u.Name == "":
		return fail("name", fmt.Errorf("is empty"))
	case seen[u.Name]:
		return fail("name", fmt.Errorf("is taken"))
	case u.Pattern == "":
		return fail("pattern", fmt.Errorf("is empty"))
	case len(u.Pattern) > maxUserPattern:
		return fail("pattern", fmt.Errorf("has %d bytes, more than %d", len(u.Pattern), maxUserPattern))
	case u.Severity > Block:
		return fail("severity", fmt.Errorf("unknown value %d", u.Severity))
	}
	seen[u.Name] = true
	if u.Category == "" {
		u.Category = CategoryPolicy
	}
	if !slices.Contains([]string{CategoryHiddenText, CategoryPromptInjection, CategorySecret, CategoryPersonalData,
		CategoryExfiltration, CategoryPolicy}, u.Category) {
		return fail("category", fmt.Errorf("unknown value %q", u.Category))
	}
	re, err := regexp.Compile(u.Pattern)
	if err != nil {
		return fail("pattern", err)
	}
	if re.MatchString("") {
		return fail("pattern", fmt.Errorf("matches the empty text"))
	}
	c := userDetector{re: re, views: u.Views, gated: len(u.Keywords) > 0}
	switch u.Side {
	case "", "both", "request", "response":
		c.side = u.Side
	default:
		return fail("side", fmt.Errorf("unknown value %q", u.Side))
	}
	if re.NumSubexp() > 0 {
		c.group = 1
	}
	for _, k := range u.Keywords {
		if len(k) < minKeyword {
			return fail("keywords", fmt.Errorf("%q has fewer than %d bytes", k, minKeyword))
		}
	}
	v, ok := validators[u.Validator]
	if !ok {
		return fail("validator", fmt.Errorf("unknown value %q", u.Validator))
	}
	c.validate = v
	for _, name := range u.Roles {
		i := slices.Index(roleNames[:], name)
		if i < 0 {
			return fail("roles", fmt.Errorf("unknown value %q", name))
		}
		if c.roles == nil {
			c.roles = make([]bool, len(roleNames))
		}
		c.roles[i] = true
	}
	for _, v := range u.Views {
		if !slices.Contains([]string{ViewRaw, ViewNormalised, ViewDecoded, ViewCollapsed, ViewUnmarked, ViewJoined}, v) {
			return fail("views", fmt.Errorf("unknown value %q", v))
		}
	}
	c.detector = &detector{name: u.Name, category: u.Category, mask: u.Mask, severity: [2]Severity{u.Severity, u.Severity}, keyBlocks: u.Severity == Block}
	return c, nil
}

// allowed reports whether an allow entry silences a match.
func (s *Scanner) allowed(t *detector, text, path string) bool {
	for i := range s.allow {
		a := &s.allow[i]
		switch {
		case a.Detector != "" && a.Detector != t.name,
			a.Detector == "" && t.category == CategoryHiddenText,
			a.Literal != "" && a.Literal != text,
			a.re != nil && !a.re.MatchString(text),
			a.Path != "" && !strings.HasPrefix(path, a.Path):
			continue
		}
		return true
	}
	return false
}

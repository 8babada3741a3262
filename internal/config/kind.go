package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind says how the text of a setting is read.
type Kind uint8

const (
	// String is taken as it is, without surrounding blanks.
	String Kind = iota
	// Enum is one of the row's words, in any case.
	Enum
	// Bool is true, yes, on, 1 or false, no, off, 0, in any case.
	Bool
	// Int is a decimal whole number.
	Int
	// Float is a finite decimal number.
	Float
	// Bytes is a whole number with an optional unit: B, KiB, MiB, GiB.
	Bytes
	// Seconds is a decimal number of seconds.
	Seconds
	// Millis is a whole number of milliseconds.
	Millis
	// Duration is a Go duration such as 90m; bounds are in seconds.
	Duration
	// List is a YAML sequence or a comma-separated text.
	List
	// HeaderList is a List of HTTP header names, folded to lower case.
	HeaderList
	// SecretKey is a secret text.
	SecretKey
	// SecretKeys is a List of secret texts; in a file they may stand on lines.
	SecretKeys
)

var kindNames = [...]string{
	"text", "word", "true or false", "whole number", "number", "bytes", "seconds",
	"milliseconds", "duration", "list", "list of header names", "secret", "list of secrets",
}

// String describes the kind for the manual.
func (k Kind) String() string { return kindNames[k] }

func (k Kind) secret() bool { return k == SecretKey || k == SecretKeys }
func (k Kind) list() bool   { return k == List || k == HeaderList || k == SecretKeys }

// number reports whether the row has a range.
func (k Kind) number() bool {
	return slices.Contains([]Kind{Int, Float, Bytes, Seconds, Millis, Duration}, k)
}

// assign reads text, or for lists items, into the row's field of s. The error
// never quotes a secret.
func (r *Setting) assign(s *Settings, raw any) error {
	items, text := split(raw, r.Kind)
	if r.Kind.list() {
		return r.assignList(s, items)
	}
	if r.check != nil {
		if err := r.check(text); err != nil {
			return err
		}
	}
	switch p := r.ptr(s).(type) {
	case *string:
		if r.Kind != Enum {
			*p = text
			return nil
		}
		i := slices.IndexFunc(r.Enum, func(w string) bool { return strings.EqualFold(w, text) })
		if i < 0 {
			return fmt.Errorf("%s is not one of %s", quote(text), strings.Join(r.Enum, ", "))
		}
		*p = r.Enum[i]
	case *Secret:
		*p = Secret(text)
	case *bool:
		v, ok := bools[strings.ToLower(text)]
		if !ok {
			return fmt.Errorf("%s is not true or false", quote(text))
		}
		*p = v
	default:
		n, err := r.number(text)
		if err != nil {
			return err
		}
		return store(p, n, r.Kind)
	}
	return nil
}

var bools = map[string]bool{
	"true": true, "yes": true, "on": true, "1": true,
	"false": false, "no": false, "off": false, "0": false,
}

func (r *Setting) assignList(s *Settings, items []string) error {
	if r.Kind == HeaderList {
		for i := range items {
			items[i] = strings.ToLower(items[i])
		}
	}
	for _, item := range items {
		if item == "" {
			return errors.New("holds an empty entry")
		}
		if r.check != nil {
			if err := r.check(item); err != nil {
				return err
			}
		}
	}
	switch p := r.ptr(s).(type) {
	case *[]string:
		*p = items
	case *Secrets:
		*p = make(Secrets, len(items))
		for i, v := range items {
			(*p)[i] = Secret(v)
		}
	}
	return nil
}

// number reads text in the unit of the row and checks its range.
func (r *Setting) number(text string) (float64, error) {
	var n float64
	switch r.Kind {
	case Bytes:
		v, err := parseBytes(text)
		if err != nil {
			return 0, err
		}
		n = float64(v)
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%s is not a duration such as 90m", quote(text))
		}
		n = d.Seconds()
	case Int, Millis:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s is not a whole number", quote(text))
		}
		n = float64(v)
	default:
		v, err := strconv.ParseFloat(text, 64)
		// ParseFloat also reads hexadecimal, underscores, NaN and Inf.
		if err != nil || strings.Trim(text, "0123456789.eE+-") != "" || math.IsInf(v, 0) {
			return 0, fmt.Errorf("%s is not a number", quote(text))
		}
		n = v
	}
	if n < r.Min || n > r.Max || r.Above && n == r.Min {
		if r.Above {
			return 0, fmt.Errorf("%s is not within %s (excluded) to %s", quote(text), formatFloat(r.Min), formatFloat(r.Max))
		}
		return 0, fmt.Errorf("%s is not within %s", quote(text), r.Range())
	}
	return n, nil
}

// store writes n, in the row's unit, to the field.
func store(p any, n float64, k Kind) error {
	switch p := p.(type) {
	case *int:
		*p = int(n)
	case *int64:
		*p = int64(n)
	case *float64:
		*p = n
	case *time.Duration:
		unit := time.Second
		if k == Millis {
			unit = time.Millisecond
		}
		*p = time.Duration(math.Round(n * float64(unit)))
	default:
		panic(fmt.Sprintf("config: no way to store a number in %T", p))
	}
	return nil
}

// Range describes the accepted values for the manual, "" when there is nothing to
// say beyond the kind.
func (r *Setting) Range() string {
	switch {
	case len(r.Enum) > 0:
		return strings.Join(r.Enum, ", ")
	case r.Kind == Bytes:
		return formatBytes(int64(r.Min)) + " to " + formatBytes(int64(r.Max))
	case r.Kind == Duration:
		return seconds(r.Min).String() + " to " + seconds(r.Max).String()
	case r.Above:
		return "above " + formatFloat(r.Min) + ", at most " + formatFloat(r.Max)
	case r.Kind.number():
		return formatFloat(r.Min) + " to " + formatFloat(r.Max)
	}
	return ""
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

var byteUnits = []struct {
	suffix string
	size   int64
}{{"gib", gib}, {"mib", mib}, {"kib", kib}, {"b", 1}, {"", 1}}

func parseBytes(text string) (int64, error) {
	t := strings.ToLower(strings.TrimSpace(text))
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(t, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n > math.MaxInt64/u.size || n < math.MinInt64/u.size {
			break
		}
		return n * u.size, nil
	}
	return 0, fmt.Errorf("%s is not a size such as 8 MiB", quote(text))
}

func formatBytes(n int64) string {
	for _, u := range byteUnits[:3] {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + " " + strings.ToUpper(u.suffix[:1]) + "iB"
		}
	}
	return strconv.FormatInt(n, 10)
}

// split turns a raw value into the trimmed items of a list and the trimmed text of
// everything else. A text of blanks is a list without items; what stands between two
// commas is an item even when it is nothing. Blank lines of a file of keys are not, and
// a comma at the end of one is the same separator as the end.
func split(raw any, k Kind) (items []string, text string) {
	if list, ok := raw.([]string); ok {
		for _, item := range list {
			items = append(items, strings.TrimSpace(item))
		}
		return items, strings.Join(list, ",")
	}
	text = strings.TrimSpace(fmt.Sprint(raw))
	if !k.list() || text == "" {
		return nil, text
	}
	lines := []string{text}
	if k == SecretKeys {
		lines = strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	}
	for i, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if i < len(lines)-1 {
			line = strings.TrimSuffix(line, ",")
		}
		for item := range strings.SplitSeq(line, ",") {
			items = append(items, strings.TrimSpace(item))
		}
	}
	return items, text
}

// quote shows a value that is not secret, cut so that an error stays one line.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strconv.Quote(text)
}

// format writes the row's value of s as text that assign would read back, with
// secrets hidden.
func (r *Setting) format(s *Settings) string {
	switch p := r.ptr(s).(type) {
	case *string:
		return *p
	case *bool:
		return strconv.FormatBool(*p)
	case *int:
		return r.orUnset(float64(*p))
	case *int64:
		return formatBytes(*p)
	case *float64:
		return r.orUnset(*p)
	case *[]string:
		return strings.Join(*p, ", ")
	case *Secret:
		return p.String()
	case *Secrets:
		if len(*p) == 0 {
			return ""
		}
		return fmt.Sprintf("(set, %d)", len(*p))
	case *time.Duration:
		switch r.Kind {
		case Duration:
			return p.String()
		case Millis:
			return r.orUnset(float64(*p / time.Millisecond))
		}
		return r.orUnset(p.Seconds())
	}
	panic("config: no way to print " + r.Name)
}

// orUnset prints n, or nothing when it is the zero of a row without a default.
func (r *Setting) orUnset(n float64) string {
	if n == 0 && r.Default == "" {
		return ""
	}
	return formatFloat(n)
}

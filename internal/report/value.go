package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Check is a yes or no that is a promise: it shows as "ok" or "FAIL".
type Check bool

// Ratio is a share, usually from 0 to 1; it shows as a percentage.
type Ratio float64

// Bytes is an amount of memory; it shows in binary units.
type Bytes int64

// noValue is shown for nil, NaN and missing values.
const noValue = "–"

// Format shows one value: integers with their thousands apart, floating-point numbers with four significant digits, durations
// with three and their own unit, Check, Ratio and Bytes as their types say, nil and NaN as a dash, and everything else as fmt
// would, cleaned of what a terminal might act on.
func Format(v any) string {
	switch v := v.(type) {
	case nil:
		return noValue
	case string:
		return clean(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case Check:
		if v {
			return "ok"
		}
		return "FAIL"
	case time.Duration:
		return duration(v)
	case Ratio:
		if f := float64(v); !math.IsNaN(f) {
			return number(f*100) + " %"
		}
		return noValue
	case Bytes:
		return memory(float64(v))
	case float64:
		return number(v)
	case float32:
		return number(float64(v))
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return group(fmt.Sprint(v))
	}
	return clean(fmt.Sprint(v))
}

// numeric reports whether v reads better when its digits stand below each other.
func numeric(v any) bool {
	switch v.(type) {
	case time.Duration, Ratio, Bytes, float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return true
	}
	return false
}

// group puts a space between thousands of a plain decimal integer.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if len(s) < 5 {
		return sign + s
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return sign + b.String()
}

// number shows four significant digits without an exponent where that is readable.
func number(f float64) string {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return noValue
	case math.IsInf(f, 0):
		return strconv.FormatFloat(f, 'g', -1, 64)
	case abs >= 1e15 || abs > 0 && abs < 1e-4:
		return strconv.FormatFloat(f, 'g', 3, 64)
	case abs >= 1000:
		return group(strconv.FormatFloat(f, 'f', 0, 64))
	}
	digits := 3
	if abs > 0 {
		digits = max(0, 3-int(math.Floor(math.Log10(abs))))
	}
	return trimZeros(strconv.FormatFloat(f, 'f', digits, 64))
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

func duration(d time.Duration) string {
	f := float64(d)
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if math.Abs(f) >= u.size {
			return significant(f/u.size) + " " + u.name
		}
	}
	if d == 0 {
		return "0 s"
	}
	return significant(f) + " ns"
}

// significant shows three significant digits, and all digits before the point.
func significant(f float64) string {
	if math.Abs(f) >= 1000 {
		return group(strconv.FormatFloat(f, 'f', 0, 64))
	}
	digits := 2
	if f != 0 {
		digits = max(0, 2-int(math.Floor(math.Log10(math.Abs(f)))))
	}
	return trimZeros(strconv.FormatFloat(f, 'f', digits, 64))
}

func memory(f float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for math.Abs(f) >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return significant(f) + " " + units[i]
}

// clean makes s safe and single-lined for a terminal and a page: what is not printable becomes its escape.
func clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == utf8.RuneError:
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

package audit

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// timeLayout is RFC 3339 with milliseconds; times are written in UTC.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// appendLine appends r as one JSON object without a newline. The member order is fixed and part of the format: seq and
// prev come first, so that a reader can follow the chain in a line whose tail was lost.
func appendLine(dst []byte, seq uint64, prev Hash, r *Record, version string) []byte {
	o := object{append(dst, '{')}
	o.uint("seq", seq)
	o.raw("prev", prev.String())
	o.time("ts", r.Time)
	o.str("event", r.Event, maxName)
	o.flag("ok", r.OK)
	o.str("phase", r.Phase, maxName)
	o.str("method", r.Method, maxName)
	o.str("service", r.Service, maxName)
	o.str("tool", r.Tool, maxName)
	o.str("route", r.Route, maxName)
	o.str("principal", r.Principal, maxName)
	o.headers(r.Headers)
	o.flag("shared_key", r.SharedKey)
	o.str("exchange", r.Exchange, maxName)
	o.str("ref", r.Ref, maxName)
	o.str("outcome", r.Outcome, maxName)
	o.str("would", r.Would, maxName)
	o.str("reason", r.Reason, maxReason)
	o.findings(r.Findings, r.MoreFindings)
	o.rules(r.RulesHit)
	o.scores(r.Scores)
	o.str("rules_version", r.RulesVersion, maxName)
	o.str("model", r.Model, maxName)
	o.coverage(r.Coverage)
	if r.Event == "" {
		o.int("redactions", int64(r.Redactions))
		o.int("bytes", int64(r.Bytes))
		o.int("duration_us", r.Duration.Microseconds())
	}
	if r.Count != 0 {
		o.int("count", r.Count)
	}
	if r.Version != "" {
		version = r.Version
	}
	o.str("version", version, maxName)
	return append(o.b, '}')
}

// object appends members to a JSON object that was opened with '{'.
type object struct{ b []byte }

func (o *object) name(n string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, n...)
	o.b = append(o.b, '"', ':')
}

// str leaves an empty value out.
func (o *object) str(n, v string, limit int) {
	if v == "" {
		return
	}
	o.name(n)
	o.b = appendString(o.b, v, limit)
}

// flag leaves nil out.
func (o *object) flag(n string, v *bool) {
	if v == nil {
		return
	}
	o.name(n)
	o.b = strconv.AppendBool(o.b, *v)
}

// raw appends a string that needs neither cap nor escape.
func (o *object) raw(n, v string) {
	o.name(n)
	o.b = append(o.b, '"')
	o.b = append(o.b, v...)
	o.b = append(o.b, '"')
}

func (o *object) int(n string, v int64) {
	o.name(n)
	o.b = strconv.AppendInt(o.b, v, 10)
}

func (o *object) uint(n string, v uint64) {
	o.name(n)
	o.b = strconv.AppendUint(o.b, v, 10)
}

func (o *object) time(n string, t time.Time) {
	o.name(n)
	o.b = append(o.b, '"')
	o.b = t.UTC().AppendFormat(o.b, timeLayout)
	o.b = append(o.b, '"')
}

func (o *object) findings(list []Finding, more int) {
	if len(list) == 0 {
		return
	}
	kept := list[:min(len(list), MaxFindings)]
	o.name("findings")
	o.b = append(o.b, '[')
	for i, f := range kept {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		e := object{append(o.b, '{')}
		e.str("detector", f.Detector, maxName)
		e.str("category", f.Category, maxName)
		e.str("severity", f.Severity, maxName)
		e.str("path", f.Path, maxPath)
		e.str("view", f.View, maxName)
		e.name("fp")
		fp := object{append(e.b, '{')}
		fp.int("len", int64(f.FP.Length))
		fp.str("hmac", f.FP.HMAC, maxName)
		o.b = append(fp.b, '}', '}')
	}
	o.b = append(o.b, ']')
	if n := len(list) - len(kept) + more; n > 0 {
		o.int("findings_dropped", int64(n))
	}
}

func (o *object) rules(list []string) {
	if len(list) == 0 {
		return
	}
	kept := list[:min(len(list), maxRules)]
	o.name("rules_hit")
	o.b = append(o.b, '[')
	for i, r := range kept {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = appendString(o.b, r, maxName)
	}
	o.b = append(o.b, ']')
	if n := len(list) - len(kept); n > 0 {
		o.int("rules_dropped", int64(n))
	}
}

// scores writes four decimals. A score that is not a number becomes null: the line must stay JSON, and the reader must see
// that there was one.
func (o *object) scores(m map[string]float64) {
	if len(m) == 0 {
		return
	}
	o.name("scores")
	s := object{append(o.b, '{')}
	for i, k := range firstKeys(m, maxScores) {
		if i > 0 {
			s.b = append(s.b, ',')
		}
		s.b = appendString(s.b, k, maxName)
		s.b = append(s.b, ':')
		if v := m[k]; math.IsNaN(v) || math.IsInf(v, 0) {
			s.b = append(s.b, "null"...)
		} else {
			s.b = strconv.AppendFloat(s.b, v, 'f', 4, 64)
		}
	}
	o.b = append(s.b, '}')
}

func (o *object) headers(m map[string]string) {
	if len(m) == 0 {
		return
	}
	o.name("headers")
	o.b = append(o.b, '{')
	for i, k := range firstKeys(m, maxHeaders) {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = appendString(o.b, k, maxName)
		o.b = append(o.b, ':')
		o.b = appendString(o.b, m[k], maxName)
	}
	o.b = append(o.b, '}')
}

func (o *object) coverage(c *Coverage) {
	if c == nil {
		return
	}
	o.name("coverage")
	e := object{append(o.b, '{')}
	e.int("scanned", int64(c.Scanned))
	e.int("total", int64(c.Total))
	e.str("reason", c.Reason, maxReason)
	o.b = append(e.b, '}')
}

// firstKeys returns at most limit keys of m in order. Keys are names of ours (stages, header names); one that is long or not
// plain ASCII is left out, because two of those could be written alike and a JSON object must not repeat a name.
func firstKeys[V any](m map[string]V, limit int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		if plainKey(k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys[:min(len(keys), limit)]
}

func plainKey(k string) bool {
	for i := range len(k) {
		if c := k[i]; c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return len(k) <= maxName
}

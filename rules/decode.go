package rules

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The fields of each object of the format. The JSON Schema is held against these lists by a test.
var (
	packFields     = []string{"version", "name", "description", "lists", "rules", "tests", "detectors", "allow"}
	ruleFields     = []string{"name", "description", "action", "scope", "call", "flow", "loop", "rate", "budget"}
	selectorFields = []string{"service", "tool", "method", "route", "principal", "when"}
	resultFields   = append([]string{"labels"}, selectorFields...)
	flowFields     = []string{"within", "steps"}
	stepFields     = []string{"call", "result", "unless"}
	loopFields     = append([]string{"threshold", "within", "ignore_args"}, selectorFields...)
	rateFields     = append([]string{"max", "within", "per"}, selectorFields...)
	budgetFields   = append([]string{"amount", "max", "within"}, selectorFields...)
	testFields     = []string{"name", "description", "lists", "calls", "fires"}
	testCallFields = []string{"service", "tool", "method", "route", "principal", "args", "meta", "headers", "result", "after", "repeat", "key", "shared", "denied", "fires"}
	testDataFields = []string{"labels", "data"}
	detectorFields = []string{"name", "description", "category", "severity", "patterns", "keywords", "mask", "side"}
	allowFields    = []string{"detector", "text", "service", "tool", "reason"}
)

// Limits of one pack.
const (
	maxRules      = 5000
	maxListLength = 10_000
	maxNameBytes  = 128
	maxTextBytes  = 16 << 10 // a description
	maxWithin     = 7 * 24 * time.Hour
	minWithin     = time.Second
)

// decoder turns nodes into a pack and collects every problem on the way.
type decoder struct {
	problems
	pack       *Pack
	testEvents int
	variants   int       // tests that replace lists
	testLists  []listUse // by tests
	data       []byte    // the file at hand, for the indentation of literal blocks
}

// object walks a mapping: fields that are not allowed are reported, the others are handed to visit in file order.
func (d *decoder) object(n *node, what string, allowed []string, visit func(field string, key, value *node)) bool {
	if n.kind != mapNode {
		d.add(n.pos, "%s must be a mapping, not %s", what, n.kind)
		return false
	}
	for i, key := range n.keys {
		if !slices.Contains(allowed, key.text) {
			d.add(key.pos, "unknown field %q in %s%s", key.text, what, suggestion(key.text, allowed))
			continue
		}
		visit(key.text, key, n.items[i])
	}
	return true
}

// suggestion names the allowed field that is one or two edits away.
func suggestion(word string, allowed []string) string {
	best, distance := "", 3
	for _, a := range allowed {
		if n := editDistance(word, a); n < distance && n < len(a) {
			best, distance = a, n
		}
	}
	if best == "" {
		return "; allowed are " + strings.Join(allowed, ", ")
	}
	return "; did you mean " + strconv.Quote(best) + "?"
}

func editDistance(a, b string) int {
	if len(a) > 40 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func (d *decoder) str(n *node, what string, limit int) string {
	if n.kind != stringNode {
		d.add(n.pos, "%s must be a string, not %s%s", what, n.kind, quoteHint(n))
		return ""
	}
	if len(n.text) > limit {
		d.add(n.pos, "%s has %d bytes; at most %d are allowed", what, len(n.text), limit)
		return ""
	}
	return n.text
}

func quoteHint(n *node) string {
	if n.kind == intNode || n.kind == floatNode || n.kind == boolNode {
		return "; quote it"
	}
	return ""
}

// name reads a non-empty text for people and machines: letters, digits, dot, dash, underscore.
func (d *decoder) name(n *node, what string) string {
	s := d.str(n, what, maxNameBytes)
	if n.kind == stringNode && n.text == "" {
		d.add(n.pos, "%s is empty", what)
	}
	for _, r := range s {
		if r > 0x7e || !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(".-_", r)) {
			d.add(n.pos, "%s %q: use letters, digits, dots, dashes and underscores", what, s)
			return ""
		}
	}
	return s
}

func (d *decoder) oneOf(n *node, what string, allowed ...string) string {
	s := d.str(n, what, maxNameBytes)
	if n.kind != stringNode || slices.Contains(allowed, s) {
		return s
	}
	d.add(n.pos, "%s must be %s, not %q", what, orList(allowed), s)
	return ""
}

func orList(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func (d *decoder) strings(n *node, what string, limit int) []string {
	if n.kind == stringNode {
		return []string{d.str(n, what, maxTextBytes)}
	}
	if n.kind != listNode {
		d.add(n.pos, "%s must be a string or a list of strings, not %s%s", what, n.kind, quoteHint(n))
		return nil
	}
	if len(n.items) > limit {
		d.add(n.pos, "%s has %d entries; at most %d are allowed", what, len(n.items), limit)
		return nil
	}
	out := make([]string, 0, len(n.items))
	for _, item := range n.items {
		out = append(out, d.str(item, "an entry of "+what, maxTextBytes))
	}
	return out
}

func (d *decoder) number(n *node, what string, low, high float64) float64 {
	// The YAML library reads 1e9 as a string.
	exponent := n.kind == stringNode && n.style == plainScalar && n.text != "" && n.text[0] >= '0' && n.text[0] <= '9'
	if n.kind != intNode && n.kind != floatNode && !exponent {
		d.add(n.pos, "%s must be a number, not %s", what, n.kind)
		return low
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsNaN(v) || v < low || v > high {
		d.add(n.pos, "%s must be from %s to %s", what, plainNumber(low), plainNumber(high))
		return low
	}
	return v
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (d *decoder) integer(n *node, what string, low, high int) int {
	if n.kind != intNode {
		d.add(n.pos, "%s must be an integer, not %s", what, n.kind)
		return low
	}
	return int(d.number(n, what, float64(low), float64(high)))
}

func (d *decoder) boolean(n *node, what string) bool {
	if n.kind != boolNode {
		d.add(n.pos, "%s must be true or false, not %s", what, n.kind)
	}
	return n.text == "true"
}

// duration reads a Go duration, or a whole number of days such as 2d.
func (d *decoder) duration(n *node, what string, low, high time.Duration) time.Duration {
	if n.kind != stringNode {
		d.add(n.pos, "%s must be a duration such as 30s, 10m or 2h, not %s", what, n.kind)
		return low
	}
	v, err := time.ParseDuration(n.text)
	if days, ok := strings.CutSuffix(n.text, "d"); ok && err != nil {
		count, dayErr := strconv.ParseUint(days, 10, 16)
		v, err = time.Duration(count)*24*time.Hour, dayErr
	}
	if err != nil {
		d.add(n.pos, "%s %q is not a duration such as 30s, 10m or 2h", what, n.text)
		return low
	}
	if v < low || v > high {
		d.add(n.pos, "%s must be from %s to %s", what, duration(low), duration(high))
		return low
	}
	return v
}

func (d *decoder) matcher(n *node, what string) *matcher {
	items := []*node{n}
	if n.kind == listNode {
		items = n.items
		if len(items) == 0 {
			d.add(n.pos, "%s is an empty list, which matches nothing", what)
		}
		if len(items) > maxPatterns {
			d.add(n.pos, "%s has %d patterns; at most %d are allowed", what, len(items), maxPatterns)
			return nil
		}
	}
	m := &matcher{}
	for _, item := range items {
		if item.kind != stringNode {
			d.add(item.pos, "%s must be a string or a list of strings, not %s%s", what, item.kind, quoteHint(item))
			continue
		}
		p, err := compilePattern(item.text)
		if err != nil {
			d.add(item.pos, "%s: %s", what, err)
			continue
		}
		m.patterns = append(m.patterns, p)
	}
	return m
}

func (d *decoder) expr(n *node, what string) *exprDecl {
	if n.kind != stringNode && n.kind != boolNode && n.kind != intNode && n.kind != floatNode {
		d.add(n.pos, "%s must be an expression, not %s", what, n.kind)
		return nil
	}
	if strings.TrimSpace(n.text) == "" {
		d.add(n.pos, "%s is empty", what)
		return nil
	}
	e := &exprDecl{text: n.text, pos: n.pos, style: n.style}
	if n.style == literalScalar {
		e.lead = literalIndent(d.data, n)
	}
	return e
}

// literalIndent finds, for each line of a literal block, how many columns of it belong to the block's indentation. They are read
// from the source because the YAML tree no longer has them.
func literalIndent(data []byte, n *node) []int {
	source := bytes.Split(data, []byte("\n"))
	text := strings.Split(n.text, "\n")
	lead := make([]int, len(text))
	for i, line := range text {
		if at := n.pos.Line + i; at < len(source) {
			lead[i] = max(0, len(strings.TrimRight(string(source[at]), "\r"))-len(line))
		}
	}
	return lead
}

// value turns a node into decoded JSON.
func (d *decoder) value(n *node) any {
	switch n.kind {
	case boolNode:
		return n.text == "true"
	case intNode:
		if v, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return v
		}
		v, _ := strconv.ParseFloat(n.text, 64)
		return v
	case floatNode:
		v, _ := strconv.ParseFloat(n.text, 64)
		return v
	case stringNode:
		return n.text
	case listNode:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = d.value(item)
		}
		return out
	case mapNode:
		out := make(map[string]any, len(n.items))
		for i, key := range n.keys {
			out[key.text] = d.value(n.items[i])
		}
		return out
	}
	return nil
}

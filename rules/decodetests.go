package rules

import (
	"strings"
	"time"
)

// testDecl is one entry of tests: a history and the rules that it must make fire.
type testDecl struct {
	pos   Position
	name  string
	lists map[string][]string // what the test puts in the place of the pack's lists; nil when nothing
	calls []*testCall
	fires []firing // the rules that fire anywhere in the history, no others
	whole bool     // fires was given
}

type firing struct {
	rule string
	pos  Position
}

// listUse is a place that names a list.
type listUse struct {
	name string
	pos  Position
}

// testCall is one event of a test. Events are a second apart unless after says otherwise.
type testCall struct {
	pos     Position
	event   Event
	after   time.Duration
	repeat  int
	key     string
	shared  bool
	denied  bool // something other than the rules denied it
	fires   []firing
	checked bool // fires was given: exactly these fire at this event (at the last one when repeated)
}

func (t *testDecl) allFires() []firing {
	out := append([]firing(nil), t.fires...)
	for _, c := range t.calls {
		out = append(out, c.fires...)
	}
	return out
}

func (d *decoder) test(n *node) {
	t := &testDecl{pos: n.pos}
	if !d.object(n, "a test", testFields, func(field string, _, value *node) {
		switch field {
		case "name":
			t.name, t.pos = d.str(value, "a test's name", maxNameBytes), value.pos
		case "description":
			d.str(value, "a description", maxTextBytes)
		case "lists":
			t.lists = d.replacedLists(value)
		case "calls":
			d.list(value, "calls", func(item *node) {
				if c := d.testCall(item); c != nil {
					t.calls = append(t.calls, c)
				}
			})
		case "fires":
			t.fires, t.whole = d.firings(value), true
		}
	}) {
		return
	}
	d.require(n, "the test", "name", "calls")
	for _, c := range t.calls {
		before := d.testEvents
		if d.testEvents += c.repeat; d.testEvents > maxTestEvents && before <= maxTestEvents {
			d.add(c.pos, "the tests replay more than %d events", maxTestEvents)
		}
	}
	checks := t.whole
	for _, c := range t.calls {
		checks = checks || c.checked
	}
	if !checks {
		d.add(n.pos, "the test checks nothing; add fires")
	}
	d.pack.tests = append(d.pack.tests, t)
}

// replacedLists reads the lists that a test replaces, so that a pack can show how it decides before and after its user has edited them.
func (d *decoder) replacedLists(n *node) map[string][]string {
	if n.kind != mapNode {
		d.add(n.pos, "lists must be a mapping of names to lists of strings, not %s", n.kind)
		return nil
	}
	out := make(map[string][]string, len(n.keys))
	for i, key := range n.keys {
		out[key.text] = d.strings(n.items[i], "list "+key.text, maxListLength)
		d.testLists = append(d.testLists, listUse{name: key.text, pos: key.pos})
	}
	if d.variants++; d.variants == maxTestVariants+1 {
		d.add(n.pos, "more than %d tests replace lists", maxTestVariants)
	}
	return out
}

func (d *decoder) firings(n *node) []firing {
	var out []firing
	if n.kind == nullNode {
		return nil
	}
	if n.kind == stringNode {
		return []firing{{rule: n.text, pos: n.pos}}
	}
	d.list(n, "fires", func(item *node) {
		if name := d.str(item, "a rule's name", maxNameBytes); name != "" {
			out = append(out, firing{rule: name, pos: item.pos})
		}
	})
	return out
}

const (
	testGap        = time.Second
	maxTestRepeats = 10_000
	maxTestEvents  = 100_000 // of all tests of a pack: they run at every reload
	// maxTestVariants bounds the tests that replace lists: the pack is compiled anew for each.
	maxTestVariants = 50
)

func (d *decoder) testCall(n *node) *testCall {
	c := &testCall{pos: n.pos, after: testGap, repeat: 1, event: Event{Method: MethodToolsCall}}
	if !d.object(n, "a test's call", testCallFields, func(field string, _, value *node) {
		switch field {
		case "service":
			c.event.Service = d.str(value, field, maxTextBytes)
		case "tool":
			c.event.Tool = d.str(value, field, maxTextBytes)
		case "method":
			c.event.Method = d.str(value, field, maxTextBytes)
		case "route":
			c.event.Route = d.str(value, field, maxTextBytes)
		case "principal":
			c.event.Principal = d.str(value, field, maxTextBytes)
		case "args":
			c.event.Args = d.value(value)
		case "meta":
			if value.kind != mapNode {
				d.add(value.pos, "meta must be a mapping, not %s", value.kind)
				return
			}
			c.event.Meta, _ = d.value(value).(map[string]any)
		case "headers":
			c.event.Headers = d.headers(value)
		case "result":
			d.testResult(c, value)
		case "after":
			c.after = d.duration(value, "after", 0, 4*maxWithin)
		case "repeat":
			c.repeat = d.integer(value, "repeat", 1, maxTestRepeats)
		case "key":
			c.key = d.str(value, "key", maxNameBytes)
		case "shared":
			c.shared = d.boolean(value, "shared")
		case "denied":
			c.denied = d.boolean(value, "denied")
		case "fires":
			c.fires, c.checked = d.firings(value), true
		}
	}) {
		return nil
	}
	return c
}

func (d *decoder) testResult(c *testCall, n *node) {
	c.event.Result = true
	if n.kind == nullNode {
		return
	}
	d.object(n, "result", testDataFields, func(field string, _, value *node) {
		switch field {
		case "labels":
			c.event.Labels = d.strings(value, field, maxPatterns)
		case "data":
			c.event.Args = d.value(value)
		}
	})
}

func (d *decoder) headers(n *node) map[string][]string {
	if n.kind != mapNode {
		d.add(n.pos, "headers must be a mapping, not %s", n.kind)
		return nil
	}
	out := make(map[string][]string, len(n.keys))
	for i, key := range n.keys {
		out[strings.ToLower(key.text)] = d.strings(n.items[i], "header "+key.text, maxPatterns)
	}
	return out
}

var detectorCategories = []string{"hidden_text", "prompt_injection", "secret", "personal_data", "exfiltration", "policy"}

func (d *decoder) detector(n *node) {
	s := DetectorSpec{Category: "policy", Severity: "review", Side: "both", Pos: n.pos}
	if !d.object(n, "a detector", detectorFields, func(field string, _, value *node) {
		switch field {
		case "name":
			s.Name, s.Pos = d.name(value, "a detector's name"), value.pos
		case "description":
			s.Description = d.str(value, "a description", maxTextBytes)
		case "category":
			s.Category = d.oneOf(value, field, detectorCategories...)
		case "severity":
			s.Severity = d.oneOf(value, field, "note", "review", "block")
		case "patterns":
			s.Patterns = d.strings(value, field, maxPatterns)
			for i, expr := range s.Patterns {
				if _, err := compileRegexp(expr); err != nil {
					d.add(itemPos(value, i), "%s", err)
				}
			}
		case "keywords":
			s.Keywords = d.strings(value, field, maxPatterns)
		case "mask":
			s.Mask = d.name(value, "a redaction type")
		case "side":
			s.Side = d.oneOf(value, field, "request", "response", "both")
		}
	}) {
		return
	}
	d.require(n, "the detector", "name")
	if len(s.Patterns) == 0 && len(s.Keywords) == 0 {
		d.add(n.pos, "the detector looks for nothing; add patterns or keywords")
	}
	for _, other := range d.pack.detectors {
		if other.Name == s.Name && s.Name != "" {
			d.add(s.Pos, "detector %q is already defined at %s", s.Name, other.Pos)
		}
	}
	d.pack.detectors = append(d.pack.detectors, s)
}

func itemPos(n *node, i int) Position {
	if n.kind == listNode && i < len(n.items) {
		return n.items[i].pos
	}
	return n.pos
}

func (d *decoder) allow(n *node) {
	s := AllowSpec{Pos: n.pos}
	if !d.object(n, "an exception", allowFields, func(field string, _, value *node) {
		text := d.str(value, field, maxTextBytes)
		switch field {
		case "detector":
			s.Detector = text
		case "text":
			s.Text = text
			if len(text) >= 2 && text[0] == '/' && text[len(text)-1] == '/' {
				if _, err := compileRegexp(text[1 : len(text)-1]); err != nil {
					d.add(value.pos, "text: %s", err)
				}
			}
		case "service":
			s.Service = text
		case "tool":
			s.Tool = text
		case "reason":
			s.Reason = text
		}
		if field == "service" || field == "tool" {
			switch p, err := compilePattern(text); {
			case err != nil:
				d.add(value.pos, "%s: %s", field, err)
			case p.re != nil:
				d.add(value.pos, "%s: an exception takes a name or a glob, not a regular expression", field)
			}
		}
	}) {
		return
	}
	if s.Detector == "" && s.Text == "" {
		d.add(n.pos, "the exception covers every finding; name a detector or a text")
	}
	d.pack.allow = append(d.pack.allow, s)
}

package rules

// file reads one file's root into the pack and returns the name it gives.
func (d *decoder) file(root *node) (name string) {
	version := false
	d.object(root, "the pack", packFields, func(field string, key, value *node) {
		switch field {
		case "version":
			version = true
			if value.kind != intNode || value.text != "1" {
				d.add(value.pos, "version must be 1")
			}
		case "name":
			name = d.name(value, "the pack's name")
		case "description":
			d.str(value, "the pack's description", maxTextBytes)
		case "lists":
			d.lists(value)
		case "rules":
			d.list(value, "rules", d.rule)
		case "tests":
			d.list(value, "tests", d.test)
		case "detectors":
			d.list(value, "detectors", d.detector)
		case "allow":
			d.list(value, "allow", d.allow)
		}
	})
	if !version && root.kind == mapNode {
		d.add(root.pos, "the pack has no version; write version: 1")
	}
	return name
}

// list visits the items of a list; null is an empty list.
func (d *decoder) list(n *node, what string, visit func(*node)) {
	if n.kind == nullNode {
		return
	}
	if n.kind != listNode {
		d.add(n.pos, "%s must be a list, not %s", what, n.kind)
		return
	}
	for _, item := range n.items {
		visit(item)
	}
}

func (d *decoder) lists(n *node) {
	if n.kind == nullNode {
		return
	}
	if n.kind != mapNode {
		d.add(n.pos, "lists must be a mapping of names to lists of strings, not %s", n.kind)
		return
	}
	for i, key := range n.keys {
		name := d.name(key, "a list's name")
		if name == "" {
			continue
		}
		if before, ok := d.pack.listPos[name]; ok {
			d.add(key.pos, "list %q is already defined at %s", name, before)
			continue
		}
		d.pack.listPos[name] = key.pos
		d.pack.lists[name] = d.strings(n.items[i], "list "+name, maxListLength)
	}
}

func (d *decoder) rule(n *node) {
	r := &ruleDecl{pos: n.pos, action: ActionBlock}
	var kindKey *node
	ok := d.object(n, "a rule", ruleFields, func(field string, key, value *node) {
		switch field {
		case "name":
			r.name, r.pos = d.name(value, "a rule's name"), value.pos
		case "description":
			r.description = d.str(value, "a description", maxTextBytes)
		case "action":
			switch d.oneOf(value, "action", "block", "review", "shadow") {
			case "review":
				r.action = ActionReview
			case "shadow":
				r.action = ActionShadow
			}
		case "scope":
			r.anyScope = d.oneOf(value, "scope", "key", "any") == "any"
		default:
			if kindKey != nil {
				d.add(key.pos, "a rule is one of call, flow, loop, rate and budget; this one is already a %s", kindKey.text)
				return
			}
			kindKey, r.body = key, value.pos
			d.ruleBody(r, field, value)
		}
	})
	if !ok {
		return
	}
	if kindKey == nil {
		d.add(n.pos, "the rule says nothing to match: give it one of call, flow, loop, rate or budget")
	}
	if !hasKey(n, "name") {
		d.add(n.pos, "the rule has no name")
	}
	if len(d.pack.rules) == maxRules {
		d.add(n.pos, "more than %d rules", maxRules)
	}
	if len(d.pack.rules) < maxRules {
		d.pack.rules = append(d.pack.rules, r)
	}
}

func hasKey(n *node, name string) bool {
	for _, key := range n.keys {
		if key.text == name {
			return true
		}
	}
	return false
}

func (d *decoder) ruleBody(r *ruleDecl, field string, n *node) {
	selector := &stepDecl{pos: n.pos}
	r.steps = []*stepDecl{selector}
	var required []string
	switch field {
	case "call":
		r.kind = KindCall
		d.object(n, "call", selectorFields, func(field string, _, value *node) { d.selectorField(selector, field, value) })
	case "flow":
		d.flow(r, n)
	case "loop":
		r.kind, required = KindLoop, []string{"threshold", "within"}
		d.object(n, "loop", loopFields, func(field string, _, value *node) {
			switch field {
			case "threshold":
				r.threshold = d.integer(value, "threshold", 2, maxThreshold)
			case "within":
				r.within = d.duration(value, "within", minWithin, maxWithin)
			case "ignore_args":
				r.ignore = d.strings(value, "ignore_args", 64)
			default:
				d.selectorField(selector, field, value)
			}
		})
	case "rate":
		r.kind, required = KindRate, []string{"max", "within"}
		d.object(n, "rate", rateFields, func(field string, _, value *node) {
			switch field {
			case "max":
				r.max = float64(d.integer(value, "max", 1, 1_000_000))
			case "within":
				r.within = d.duration(value, "within", minWithin, maxWithin)
			case "per":
				r.perRule = d.oneOf(value, "per", "tool", "rule") == "rule"
			default:
				d.selectorField(selector, field, value)
			}
		})
	case "budget":
		r.kind, required = KindBudget, []string{"amount", "max", "within"}
		d.object(n, "budget", budgetFields, func(field string, _, value *node) {
			switch field {
			case "amount":
				r.amount = d.expr(value, "amount")
			case "max":
				r.max = d.number(value, "max", 0, 1e15)
			case "within":
				r.within = d.duration(value, "within", minWithin, maxWithin)
			default:
				d.selectorField(selector, field, value)
			}
		})
	}
	d.require(n, field, required...)
}

func (d *decoder) require(n *node, what string, fields ...string) {
	for _, field := range fields {
		if n.kind == mapNode && !hasKey(n, field) {
			d.add(n.pos, "%s has no %s", what, field)
		}
	}
}

// selectorField reads the fields that every kind of selector has.
func (d *decoder) selectorField(s *stepDecl, field string, n *node) {
	switch field {
	case "service":
		s.service = d.matcher(n, field)
	case "tool":
		s.tool, s.toolPos = d.matcher(n, field), n.pos
	case "method":
		s.method = d.matcher(n, field)
	case "route":
		s.route = d.matcher(n, field)
	case "principal":
		s.principal = d.matcher(n, field)
	case "when":
		s.when = d.expr(n, field)
	case "labels":
		s.labels = d.matcher(n, field)
		s.labelPos = []Position{n.pos}
		if n.kind == listNode {
			s.labelPos = nil
			for _, item := range n.items {
				s.labelPos = append(s.labelPos, item.pos)
			}
		}
	}
}

func (d *decoder) flow(r *ruleDecl, n *node) {
	r.kind, r.steps = KindFlow, nil
	var steps *node
	d.object(n, "flow", flowFields, func(field string, _, value *node) {
		switch field {
		case "within":
			r.within = d.duration(value, "within", minWithin, maxWithin)
		case "steps":
			steps = value
		}
	})
	d.require(n, "flow", "within", "steps")
	if steps == nil {
		return
	}
	positive := 0
	d.list(steps, "steps", func(item *node) {
		s := d.step(item)
		if s == nil {
			return
		}
		if s.kind != guardStep {
			positive++
		}
		r.steps = append(r.steps, s)
	})
	switch {
	case len(r.steps) == 0:
		if steps.kind == nullNode || steps.kind == listNode && len(steps.items) == 0 {
			d.add(steps.pos, "a flow needs at least one step")
		}
	case positive == 0:
		d.add(steps.pos, "a flow of guards alone can never fire; add a call or a result")
	case positive > maxFlowSteps:
		d.add(steps.pos, "a flow with %d calls and results; at most %d are allowed", positive, maxFlowSteps)
	case len(r.steps) > 2*maxFlowSteps:
		d.add(steps.pos, "a flow with %d steps; at most %d are allowed", len(r.steps), 2*maxFlowSteps)
	}
}

func (d *decoder) step(n *node) *stepDecl {
	if n.kind != mapNode || len(n.keys) != 1 {
		d.add(n.pos, "a step is one of call, result or unless, such as - call: {tool: name}")
		return nil
	}
	key, value := n.keys[0], n.items[0]
	s := &stepDecl{pos: key.pos}
	fields := selectorFields
	switch key.text {
	case "call":
		s.kind = callStep
	case "result":
		s.kind, fields = resultStep, resultFields
	case "unless":
		s.kind = guardStep
	default:
		d.add(key.pos, "unknown field %q in a step%s", key.text, suggestion(key.text, stepFields))
		return nil
	}
	d.object(value, key.text, fields, func(field string, _, value *node) { d.selectorField(s, field, value) })
	return s
}

// crossCheck finds what no single file or rule shows.
func (d *decoder) crossCheck() {
	rules := map[string]Position{}
	for _, r := range d.pack.rules {
		if r.name == "" {
			continue
		}
		if before, ok := rules[r.name]; ok {
			d.add(r.pos, "rule %q is already defined at %s", r.name, before)
			continue
		}
		rules[r.name] = r.pos
	}
	for _, t := range d.pack.tests {
		for _, want := range t.allFires() {
			if _, ok := rules[want.rule]; !ok {
				d.add(want.pos, "test %q expects rule %q, which the pack does not have", t.name, want.rule)
			}
		}
	}
	for _, use := range d.testLists {
		if _, ok := d.pack.lists[use.name]; !ok {
			d.add(use.pos, "a test replaces list %q, which the pack does not have", use.name)
		}
	}
}

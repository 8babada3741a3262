package main

import (
	"math"
	"slices"
	"strings"

	"github.com/sallyport-mcp/sallyport/decision"
)

// tally counts what became of texts of one label.
type tally struct {
	Texts    int `json:"texts"`
	Blocked  int `json:"blocked"`
	Reviewed int `json:"reviewed"` // passed, with a person asked to look
	Masked   int `json:"masked"`   // passed with something masked, and nothing else said
	Passed   int `json:"passed"`   // passed as they came

	// By name of the part: texts that it would have blocked, and those that only it
	// would have; the same for texts that it would have blocked or reviewed.
	Block       map[string]int `json:"block_by,omitempty"`
	BlockAlone  map[string]int `json:"block_by_alone,omitempty"`
	Review      map[string]int `json:"review_by,omitempty"`
	ReviewAlone map[string]int `json:"review_by_alone,omitempty"`
	// WithoutModel and ModelOnly count blocks that would be left if the model, or
	// everything but the model, were not there; of the rest both would block.
	WithoutModel int `json:"blocked_without_model"`
	ModelOnly    int `json:"blocked_by_model_only"`
}

func (t *tally) add(a *answer) {
	t.Texts++
	switch {
	case a.outcome.Denied():
		t.Blocked++
	case a.outcome == decision.Flagged:
		t.Reviewed++
	case a.outcome == decision.Mutated:
		t.Masked++
	default:
		t.Passed++
	}
	t.Block, t.BlockAlone = a.credit(block, t.Block, t.BlockAlone)
	t.Review, t.ReviewAlone = a.credit(review, t.Review, t.ReviewAlone)
	others := false
	for p, said := range a.parts {
		others = others || part(p) != byModel && said == block
	}
	switch {
	case others:
		t.WithoutModel++
	case a.parts[byModel] == block:
		t.ModelOnly++
	}
}

// credit counts the parts that said at least v, and the one that did when no other did.
func (a *answer) credit(v verdict, by, alone map[string]int) (map[string]int, map[string]int) {
	n, last := 0, part(0)
	for p, said := range a.parts {
		if said < v {
			continue
		}
		if by == nil {
			by, alone = map[string]int{}, map[string]int{}
		}
		n, last = n+1, part(p)
		by[last.String()]++
	}
	if n == 1 {
		alone[last.String()]++
	}
	return by, alone
}

// seen is how many texts were blocked or put before a person.
func (t *tally) seen() int { return t.Blocked + t.Reviewed }

// rate is a share with its 95 % Wilson interval.
type rate struct{ share, low, high float64 }

// wilson is the rate of hits among n, which must not be 0 (E. B. Wilson, 1927).
func wilson(hits, n int) rate {
	const z = 1.959964
	p, m := float64(hits)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	return rate{p, max(0, middle-half), min(1, middle+half)}
}

// pair is the tallies of attacks and of harmless texts.
type pair struct {
	Attacks  tally `json:"attacks"`
	Harmless tally `json:"harmless"`
}

func (p *pair) add(r row, a *answer) {
	if r.label == 1 {
		p.Attacks.add(a)
	} else {
		p.Harmless.add(a)
	}
}

// named is a pair and what it is of.
type named struct {
	Name string `json:"name"`
	pair
	Calibration bool `json:"calibration,omitempty"`
	Known       bool `json:"known_style,omitempty"`
	Composed    bool `json:"composed,omitempty"`
}

// evaluation is the whole report.
type evaluation struct {
	Model    string  `json:"model"`
	Sets     []named `json:"sets"`
	Scripts  []named `json:"scripts"`
	Surfaces []named `json:"surfaces"`
	Kinds    []named `json:"kinds"` // attacks by the kind that their source names
	All      pair    `json:"all"`   // evaluation sets that are not composed
}

// leastKind is how many attacks of a kind there must be for a row of its own.
const leastKind = 15

// evaluate counts. Texts of sets that set the thresholds count in their own rows and
// by surface, nowhere else.
func evaluate(model string, sets []set, answers [][]answer) *evaluation {
	e := &evaluation{Model: model}
	groups := func() (map[string]*pair, func(string, row, *answer)) {
		m := map[string]*pair{}
		return m, func(name string, r row, a *answer) {
			if m[name] == nil {
				m[name] = &pair{}
			}
			m[name].add(r, a)
		}
	}
	scripts, byScript := groups()
	surfaces, bySurface := groups()
	kinds, byKind := groups()
	for i, s := range sets {
		n := named{Name: s.name, Calibration: s.calibration, Known: s.known, Composed: s.composed}
		for j, r := range s.rows {
			a := &answers[i][j]
			n.add(r, a)
			bySurface(r.at.String(), r, a)
			if s.calibration || s.composed {
				continue
			}
			e.All.add(r, a)
			byScript(scriptOf(r.text), r, a)
			if r.label == 1 && r.kind != "" && r.kind != "1" {
				kind, _, _ := strings.Cut(r.kind, "/")
				byKind(s.name+": "+kind, r, a)
			}
		}
		e.Sets = append(e.Sets, n)
	}
	e.Scripts, e.Surfaces = sorted(scripts, 0), sorted(surfaces, 0)
	e.Kinds = sorted(kinds, leastKind)
	return e
}

func sorted(m map[string]*pair, least int) []named {
	var out []named
	for name, p := range m {
		if p.Attacks.Texts >= least {
			out = append(out, named{Name: name, pair: *p})
		}
	}
	slices.SortFunc(out, func(a, b named) int { return strings.Compare(a.Name, b.Name) })
	return out
}

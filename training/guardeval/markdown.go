package main

import (
	"fmt"
	"strings"
)

// percent is a rate for a table cell, "" of nothing.
func percent(hits, n, digits int) string {
	if n == 0 {
		return ""
	}
	r := wilson(hits, n)
	return fmt.Sprintf("%.*f (%.*f–%.*f)", digits, 100*r.share, digits, 100*r.low, digits, 100*r.high)
}

// markdown is the report as tables; picture is the file beside it, "" for none.
func (e *evaluation) markdown(picture string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("Percent of texts, with 95 %% Wilson intervals. Model: `%s`. *Blocked* is refused, or taken out of its list; *seen* is blocked or put before a person.", e.Model)
	if picture != "" {
		line("\n![What became of the texts of each set](%s)", picture)
	}
	line("\n### Attacks\n")
	line("| set | texts | blocked | seen | blocked without the model | blocked by the model alone | passed |\n|---|--:|--:|--:|--:|--:|--:|")
	for _, s := range e.Sets {
		if t := s.Attacks; t.Texts > 0 {
			line("| %s | %d | %s | %s | %d | %d | %d |", s.title(), t.Texts, percent(t.Blocked, t.Texts, 1), percent(t.seen(), t.Texts, 1), t.WithoutModel, t.ModelOnly, t.Passed+t.Masked)
		}
	}
	line("\n### Harmless texts\n")
	line("| set | texts | blocked | seen | blocked without the model | blocked by the model alone | masked |\n|---|--:|--:|--:|--:|--:|--:|")
	for _, s := range e.Sets {
		if t := s.Harmless; t.Texts > 0 && !s.Composed {
			line("| %s | %d | %s | %s | %d | %d | %d |", s.title(), t.Texts, percent(t.Blocked, t.Texts, 2), percent(t.seen(), t.Texts, 2), t.WithoutModel, t.ModelOnly, t.Masked)
		}
	}
	line("\n\\* The style of these attacks is known to the model's training text. † The model's thresholds were set on these texts.")
	line("\n### Which part caught what\n")
	line("Texts that each part would have blocked; in brackets those that nothing else blocked.\n")
	e.parts(line, "attacks", func(t *named) *tally { return &t.Attacks }, block)
	line("")
	e.parts(line, "harmless texts", func(t *named) *tally { return &t.Harmless }, block)
	line("\nTexts that each part would have blocked or put before a person; in brackets those of which nothing else said anything.\n")
	e.parts(line, "attacks", func(t *named) *tally { return &t.Attacks }, review)
	line("")
	e.parts(line, "harmless texts", func(t *named) *tally { return &t.Harmless }, review)
	groups(line, "By surface", "surface", e.Surfaces)
	groups(line, "By script", "script", e.Scripts)
	line("\n### Attacks by kind\n")
	line("As their sources name them; kinds of at least %d texts.\n", leastKind)
	line("| kind | texts | blocked | seen |\n|---|--:|--:|--:|")
	for _, k := range e.Kinds {
		t := k.Attacks
		line("| %s | %d | %s | %s |", k.Name, t.Texts, percent(t.Blocked, t.Texts, 0), percent(t.seen(), t.Texts, 0))
	}
	return b.String()
}

// title is the name of a set with the marks that the text explains.
func (n *named) title() string {
	s := n.Name
	if n.Known {
		s += " \\*"
	}
	if n.Calibration {
		s += " †"
	}
	return s
}

// parts is the table of parts by set, without those that never spoke.
func (e *evaluation) parts(line func(string, ...any), what string, of func(*named) *tally, v verdict) {
	pick := func(t *tally) (by, alone map[string]int) {
		if v == block {
			return t.Block, t.BlockAlone
		}
		return t.Review, t.ReviewAlone
	}
	var spoke []string
	for _, name := range partNames {
		for i := range e.Sets {
			if by, _ := pick(of(&e.Sets[i])); by[name] > 0 && of(&e.Sets[i]).Texts > 0 {
				spoke = append(spoke, name)
				break
			}
		}
	}
	line("| %s | texts | %s |\n|---|--:|%s", what, strings.Join(spoke, " | "), strings.Repeat("--:|", len(spoke)))
	for i := range e.Sets {
		s, t := &e.Sets[i], of(&e.Sets[i])
		if t.Texts == 0 || s.Composed && what != "attacks" {
			continue
		}
		by, alone := pick(t)
		cells := make([]string, len(spoke))
		for j, name := range spoke {
			if by[name] > 0 {
				cells[j] = fmt.Sprintf("%d (%d)", by[name], alone[name])
			}
		}
		line("| %s | %d | %s |", s.title(), t.Texts, strings.Join(cells, " | "))
	}
}

// groups is a table of attacks and harmless texts by some property.
func groups(line func(string, ...any), title, column string, list []named) {
	line("\n### %s\n", title)
	line("| %s | attacks | blocked | seen | harmless | blocked | seen |\n|---|--:|--:|--:|--:|--:|--:|", column)
	for _, g := range list {
		a, h := g.Attacks, g.Harmless
		line("| %s | %d | %s | %s | %d | %s | %s |", g.Name, a.Texts, percent(a.Blocked, a.Texts, 1), percent(a.seen(), a.Texts, 1),
			h.Texts, percent(h.Blocked, h.Texts, 2), percent(h.seen(), h.Texts, 2))
	}
}

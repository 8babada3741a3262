package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a pack file. Line and Column count from 1; a zero Line means the file as a whole.
type Position struct {
	File   string
	Line   int
	Column int
}

// String renders file:line:column, or the file alone when no line is known.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// compare orders places by file, line and column.
func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Error is one problem of a pack with its place.
type Error struct {
	Pos Position
	Msg string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors are all problems found in a pack, in file order. It is never empty when returned as an error.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single *Error.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, p := range e {
		out[i] = p
	}
	return out
}

// maxErrors bounds what one load reports: past this many problems a person starts over rather than reads on.
const maxErrors = 100

// problems collects errors while a pack is read, so that all of them are listed at once.
type problems struct{ list Errors }

func (p *problems) add(pos Position, format string, args ...any) {
	if len(p.list) < maxErrors {
		p.list = append(p.list, &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
	}
}

// addErr takes over what another collector found, or wraps a plain error at pos.
func (p *problems) addErr(pos Position, err error) {
	var many Errors
	if errors.As(err, &many) {
		for _, e := range many {
			p.add(e.Pos, "%s", e.Msg)
		}
		return
	}
	p.add(pos, "%s", err)
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b *Error) int { return a.Pos.compare(b.Pos) })
	return p.list
}

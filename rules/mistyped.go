package rules

import (
	"errors"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// A caller must not be able to slip past a predicate by sending a value of the wrong type, but CEL has two ways to do it. Of the
// operands of || and && that fail they keep the first error: with one member missing, it is not seen that another is no text; exists
// and all are such operators from element to element. And a text has members as far as CEL is concerned, all of them missing, while
// servers read objects out of texts.

// strictTypes returns what makes both of them errors of type in the program of expr.
func strictTypes(expr ast.Expr, amount bool) interpreter.InterpretableDecoratorV2 {
	w := logic{strict: map[int64]bool{}, operands: map[int64]bool{}}
	w.visit(expr, true, amount)
	return func(step interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		id := step.ID()
		if x, ok := step.(interpreter.InterpretableAttribute); ok {
			step = &strictAttribute{x}
		}
		if w.strict[id] {
			step = &strictOperator{step}
		}
		if !w.operands[id] {
			return step, nil
		}
		if call, ok := step.(interpreter.InterpretableCall); ok && call.Function() == overloads.Matches { // which literalMatches looks for
			return &operandCall{call}, nil
		}
		return &operand{step}, nil // no call: in the place of one CEL may put another, that notes nothing
	}
}

// logic finds the operators, by id, at which an error of type must not be lost: where the operand that has it could have made the
// predicate true. In "a && b" it could not while a is missing, and a predicate that asks for a first is not to fail on b.
type logic struct{ strict, operands map[int64]bool }

// visit is told whether the predicate may be true because e is true, and because e is false.
func (w *logic) visit(e ast.Expr, whenTrue, whenFalse bool) {
	switch e.Kind() {
	case ast.CallKind:
		w.call(e, whenTrue, whenFalse)
	case ast.ComprehensionKind:
		loop := e.AsComprehension()
		w.visit(loop.IterRange(), true, true)
		if loop.Result().Kind() != ast.IdentKind { // something is made of what the loop comes to
			whenTrue, whenFalse = true, true
		}
		w.visit(loop.LoopStep(), whenTrue, whenFalse)
	case ast.SelectKind:
		w.visit(e.AsSelect().Operand(), true, true)
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			w.visit(item, true, true)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.visit(entry.AsMapEntry().Key(), true, true)
			w.visit(entry.AsMapEntry().Value(), true, true)
		}
	}
}

func (w *logic) call(e ast.Expr, whenTrue, whenFalse bool) {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalNot:
		whenTrue, whenFalse = whenFalse, whenTrue
	case operators.LogicalOr:
		w.strict[e.ID()] = whenTrue
	case operators.LogicalAnd:
		w.strict[e.ID()] = whenFalse
	case operators.Conditional:
		w.visit(args[0], true, true)
		args = args[1:]
	default:
		whenTrue, whenFalse = true, true
		if call.IsMemberFunction() {
			w.visit(call.Target(), true, true)
		}
	}
	for _, arg := range args {
		w.operands[arg.ID()] = w.strict[e.ID()]
		w.visit(arg, whenTrue, whenFalse)
	}
}

// strictOperator is an || or && that prefers an error of type to a missing member.
type strictOperator struct{ interpreter.InterpretableV2 }

func (o *strictOperator) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	a := activationOf(frame)
	before := a.mistyped
	a.mistyped = false
	v := o.InterpretableV2.Exec(frame)
	if types.IsError(v) && a.mistyped {
		v = types.WrapErr(errMistyped)
	}
	a.mistyped = before
	return v
}

func (o *strictOperator) Eval(a interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(a, o.Exec)
}

// operand is one of a strict operator.
type operand struct{ interpreter.InterpretableV2 }

func (o *operand) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return noted(frame, o.InterpretableV2.Exec(frame))
}

func (o *operand) Eval(a interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(a, o.Exec)
}

// operandCall is an operand that is a call of matches.
type operandCall struct{ interpreter.InterpretableCall }

func (o *operandCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return noted(frame, o.InterpretableCall.Exec(frame))
}

func (o *operandCall) Eval(a interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(a, o.Exec)
}

// noted tells the operator around it of an operand that is neither true nor false nor missing.
func noted(frame *interpreter.ExecutionFrame, v ref.Val) ref.Val {
	switch x := v.(type) {
	case types.Bool:
	case *types.Err:
		if faultOf(x) != "" {
			activationOf(frame).mistyped = true
		}
	default:
		activationOf(frame).mistyped = true
	}
	return v
}

// ownName is the variable by which an evaluation finds its activation. No expression can name it.
const ownName = "@activation"

func activationOf(frame *interpreter.ExecutionFrame) *activation {
	a, _ := frame.ResolveName(ownName)
	return a.(*activation)
}

// strictAttribute is a value of which an expression reads members.
type strictAttribute struct {
	interpreter.InterpretableAttribute
}

func (s *strictAttribute) AddQualifier(q interpreter.Qualifier) (interpreter.Attribute, error) {
	switch x := q.(type) {
	case interpreter.ConstantQualifier:
		q = namedMember{x}
	case *strictAttribute:
		q = computedMember{x.InterpretableAttribute}
	case interpreter.Attribute:
		q = computedMember{x}
	}
	_, err := s.InterpretableAttribute.AddQualifier(q)
	return s, err
}

// namedMember is one that the expression names. CEL tells the two kinds of members apart by their types.
type namedMember struct{ interpreter.ConstantQualifier }

func (m namedMember) Qualify(vars interpreter.Activation, of any) (any, error) {
	if scalar(of) {
		return nil, errMistyped
	}
	return m.ConstantQualifier.Qualify(vars, of)
}

func (m namedMember) QualifyIfPresent(vars interpreter.Activation, of any, presenceOnly bool) (any, bool, error) {
	if scalar(of) {
		return nil, false, errMistyped
	}
	return m.ConstantQualifier.QualifyIfPresent(vars, of, presenceOnly)
}

// computedMember is one whose name is a value.
type computedMember struct{ interpreter.Attribute }

func (m computedMember) Qualify(vars interpreter.Activation, of any) (any, error) {
	if scalar(of) {
		return nil, errMistyped
	}
	return m.Attribute.Qualify(vars, of)
}

func (m computedMember) QualifyIfPresent(vars interpreter.Activation, of any, presenceOnly bool) (any, bool, error) {
	if scalar(of) {
		return nil, false, errMistyped
	}
	return m.Attribute.QualifyIfPresent(vars, of, presenceOnly)
}

// scalar reports that v can have no members and is not absent either, as null is.
func scalar(v any) bool {
	switch v.(type) {
	case string, bool, int64, float64, types.String, types.Bool, types.Int, types.Uint, types.Double:
		return true
	}
	return false
}

var errMistyped = errors.New("a value of the wrong type")

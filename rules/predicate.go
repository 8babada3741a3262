package rules

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/interpreter"
)

// Limits of one predicate.
const (
	maxPredicateBytes = 4096 // source text
	maxPredicateNodes = 1000 // expression nodes after macros are expanded
	maxPredicateDepth = 60   // nesting of the expression
	maxLoopNesting    = 3    // exists, all, map and filter inside one another
	// predicateCost bounds one evaluation, in CEL's cost units (about one per operation, one per ten characters compared). It
	// lets helpers read a payload of 8 MiB a few times over and stops what grows faster than linearly, within about 100 ms.
	predicateCost = 4_000_000
)

// compiler turns expression texts into programs. Identical texts share one program.
type compiler struct {
	call   *cel.Env // the variables of call steps
	result *cel.Env // those and labels
	lists  map[string][]string
	listed ref.Val
	cache  map[programKey]compiled
	prior  map[programKey]compiled // of the compiler before; only read, and only while rules are compiled
}

type programKey struct {
	text   string
	result bool
	amount bool
}

type compiled struct {
	program *predicate
	issues  []issue
}

// issue is a compile problem at a place within the expression; line counts from 1, column from 0.
type issue struct {
	line, column int
	msg          string
}

// predicate is one compiled expression, safe for concurrent use.
type predicate struct {
	program  cel.Program
	ast      *cel.Ast
	constant *bool    // set when the value does not depend on the event
	lists    []string // the lists it reads
	shared   bool     // several steps have it; its value is then kept for the rest of the event
}

func newCompiler(h Helpers, lists map[string][]string) (*compiler, error) {
	variables := []cel.EnvOption{
		cel.Variable("tool", cel.StringType),
		cel.Variable("service", cel.StringType),
		cel.Variable("method", cel.StringType),
		cel.Variable("route", cel.StringType),
		cel.Variable("principal", cel.StringType),
		cel.Variable("args", cel.DynType),
		cel.Variable("meta", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("headers", cel.MapType(cel.StringType, cel.ListType(cel.StringType))),
		cel.Variable("lists", cel.MapType(cel.StringType, cel.ListType(cel.StringType))),
		cel.Variable("now", cel.TimestampType),
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		ext.Strings(ext.StringsVersion(3)),
		cel.ParserExpressionSizeLimit(maxPredicateBytes),
		cel.ParserRecursionLimit(maxPredicateDepth),
		cel.ExpressionNodeLimit(maxPredicateNodes),
		cel.ASTValidators(
			cel.ValidateComprehensionNestingLimit(maxLoopNesting),
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(),
		),
	}
	variables = append(variables, functions(h.filled())...)
	call, err := cel.NewEnv(variables...)
	if err != nil {
		return nil, fmt.Errorf("predicate environment: %w", err)
	}
	result, err := call.Extend(cel.Variable("labels", cel.ListType(cel.StringType)))
	if err != nil {
		return nil, fmt.Errorf("predicate environment: %w", err)
	}
	return &compiler{
		call: call, result: result, lists: lists,
		listed: types.DefaultTypeAdapter.NativeToValue(orEmpty(lists)),
		cache:  map[programKey]compiled{},
	}, nil
}

// next returns a compiler in the same environment that knows what c has compiled.
func (c *compiler) next(lists map[string][]string) *compiler {
	return &compiler{
		call: c.call, result: c.result, lists: lists,
		listed: types.DefaultTypeAdapter.NativeToValue(orEmpty(lists)),
		cache:  map[programKey]compiled{}, prior: c.cache,
	}
}

// reused returns a program of the compiler before, if it compiles in the same way here: lists are the one thing that can differ.
func (c *compiler) reused(key programKey) (*predicate, bool) {
	done, ok := c.prior[key]
	if !ok || done.program == nil {
		return nil, false
	}
	for _, name := range done.program.lists {
		if _, known := c.lists[name]; !known {
			return nil, false
		}
	}
	p := *done.program
	p.shared = false
	return &p, true
}

// compile type-checks an expression. With amount it must yield a number, else a boolean.
func (c *compiler) compile(text string, result, amount bool) (*predicate, []issue) {
	key := programKey{text: text, result: result, amount: amount}
	if done, ok := c.cache[key]; ok {
		if done.program != nil {
			done.program.shared = true
		}
		return done.program, done.issues
	}
	p, ok := c.reused(key)
	var issues []issue
	if !ok {
		p, issues = c.build(text, result, amount)
	}
	c.cache[key] = compiled{program: p, issues: issues}
	return p, issues
}

func (c *compiler) build(text string, result, amount bool) (*predicate, []issue) {
	if len(text) > maxPredicateBytes {
		return nil, []issue{{1, 0, fmt.Sprintf("expression of %d bytes; at most %d are allowed", len(text), maxPredicateBytes)}}
	}
	env := c.call
	if result {
		env = c.result
	}
	checked, found := env.Compile(text)
	if found.Err() != nil {
		var out []issue
		for _, e := range found.Errors() {
			out = append(out, issue{max(e.Location.Line(), 1), max(e.Location.Column(), 0), celMessage(e.Message, result)})
		}
		return nil, out
	}
	lists, issues := c.check(checked)
	if len(issues) > 0 {
		return nil, issues
	}
	kind := checked.OutputType()
	if amount {
		switch kind.Kind() {
		case types.IntKind, types.UintKind, types.DoubleKind, types.DynKind:
		default:
			return nil, []issue{{1, 0, fmt.Sprintf("an amount must be a number, this is %s", kind)}}
		}
	} else if kind.Kind() != types.BoolKind && kind.Kind() != types.DynKind {
		return nil, []issue{{1, 0, fmt.Sprintf("a predicate must be true or false, this is %s", kind)}}
	}
	program, err := env.Program(checked,
		cel.CostLimit(predicateCost),
		cel.CostTracking(helperCost{}),
		cel.EvalOptions(cel.OptOptimize),
		cel.OptimizeRegex(literalMatches),
		cel.CustomDecoratorV2(strictTypes(checked.NativeRep().Expr(), amount)),
	)
	if err != nil {
		return nil, []issue{{1, 0, err.Error()}}
	}
	p := &predicate{program: program, ast: checked, lists: lists}
	if lit := checked.NativeRep().Expr(); lit.Kind() == ast.LiteralKind {
		if b, ok := lit.AsLiteral().(types.Bool); ok {
			value := bool(b)
			p.constant = &value
		}
	}
	return p, nil
}

// literalMatches compiles the expression of matches, which check has seen to be a literal.
var literalMatches = &interpreter.RegexOptimization{
	Function:   overloads.Matches,
	OverloadID: overloads.MatchesString, // before CEL's own, which is known by the function alone
	RegexIndex: 1,
	Factory: func(call interpreter.InterpretableCall, expr string) (interpreter.InterpretableCall, error) {
		re, err := newTextRegexp(expr)
		if err != nil {
			return nil, err
		}
		quick := interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
			if len(args) != 2 {
				return types.NoSuchOverloadErr()
			}
			s, ok := args[0].(types.String)
			if !ok {
				return types.MaybeNoSuchOverloadErr(args[0])
			}
			return types.Bool(re.match(string(s)))
		})
		if _, ok := call.(*operandCall); ok {
			return &operandCall{quick}, nil
		}
		return quick, nil
	},
}

// celMessage makes CEL's messages fit ours: one line, no source excerpt.
func celMessage(msg string, result bool) string {
	msg, _, _ = strings.Cut(msg, "\n")
	msg = strings.TrimSuffix(msg, " (in container '')")
	if !result && strings.HasPrefix(msg, "undeclared reference to 'labels'") {
		return "labels exists only in result steps"
	}
	return msg
}

// check adds what CEL's type checker cannot know: which lists exist, and that regular expressions are literals of a sane size.
func (c *compiler) check(checked *cel.Ast) (lists []string, out []issue) {
	native := checked.NativeRep()
	report := func(e ast.Expr, format string, args ...any) {
		loc := native.SourceInfo().GetStartLocation(e.ID())
		out = append(out, issue{max(loc.Line(), 1), max(loc.Column(), 0), fmt.Sprintf(format, args...)})
	}
	listUses := map[int64]bool{} // the ids of "lists" identifiers that a literal name follows
	ast.PreOrderVisit(native.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			if isIdent(e.AsSelect().Operand(), "lists") {
				listUses[e.AsSelect().Operand().ID()] = true
				lists = append(lists, e.AsSelect().FieldName())
				if _, ok := c.lists[e.AsSelect().FieldName()]; !ok {
					report(e, "unknown list %q", e.AsSelect().FieldName())
				}
			}
		case ast.CallKind:
			call := e.AsCall()
			if call.FunctionName() == "_[_]" && len(call.Args()) == 2 && isIdent(call.Args()[0], "lists") {
				if name, ok := literalString(call.Args()[1]); ok {
					listUses[call.Args()[0].ID()] = true
					lists = append(lists, name)
					if _, known := c.lists[name]; !known {
						report(call.Args()[1], "unknown list %q", name)
					}
				}
			}
			if call.FunctionName() == "matches" {
				args := call.Args()
				expr, ok := literalString(args[len(args)-1])
				if !ok {
					report(args[len(args)-1], "matches needs a literal regular expression")
				} else if err := checkRegexpSize(expr); err != nil {
					report(args[len(args)-1], "%s", err)
				}
			}
		}
	}))
	ast.PreOrderVisit(native.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if isIdent(e, "lists") && !listUses[e.ID()] {
			report(e, "write lists.name: a list is named literally")
		}
	}))
	return lists, out
}

func isIdent(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }

func literalString(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// FaultCode says why a predicate or an amount could not be evaluated, without anything of the arguments.
type FaultCode string

// The codes of rule errors.
const (
	FaultType   FaultCode = "type"   // an operation on a value of the wrong type, a failed conversion, a division by zero
	FaultCost   FaultCode = "cost"   // the cost limit was reached
	FaultAmount FaultCode = "amount" // an amount that is not a finite non-negative number
)

// describe says what happened, in words for whoever wrote the rule.
func (c FaultCode) describe() string {
	switch c {
	case FaultType:
		return "a value has the wrong type, or cannot be computed with"
	case FaultCost:
		return "it would cost more than one evaluation may"
	}
	return "the amount is no finite number from 0 on"
}

// eval runs a predicate. A missing member makes it false; anything else that goes wrong is a fault.
func (p *predicate) eval(a *activation) (bool, FaultCode) {
	if p == nil {
		return true, ""
	}
	if p.constant != nil {
		return *p.constant, ""
	}
	v, _, err := p.program.Eval(a)
	if err != nil {
		return false, faultOf(err)
	}
	b, ok := v.(types.Bool)
	if !ok {
		return false, FaultType
	}
	return bool(b), ""
}

// amount runs an amount expression. ok is false when a member it reads is missing: the call then adds nothing.
func (p *predicate) amount(a *activation) (value float64, ok bool, fault FaultCode) {
	v, _, err := p.program.Eval(a)
	if err != nil {
		fault = faultOf(err)
		return 0, false, fault
	}
	switch n := v.(type) {
	case types.Int:
		value = float64(n)
	case types.Uint:
		value = float64(n)
	case types.Double:
		value = float64(n)
	default:
		return 0, false, FaultAmount
	}
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		return 0, false, FaultAmount
	}
	return value, true, ""
}

func faultOf(err error) FaultCode {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) {
		return FaultCost
	}
	msg := err.Error()
	for _, missing := range [...]string{"no such key: ", "index out of bounds: ", "optional.none() dereference"} {
		if strings.HasPrefix(msg, missing) {
			return ""
		}
	}
	return FaultType
}

// helperCost charges helper functions for the text they read.
type helperCost struct{}

var _ cost.ActualCostEstimator = helperCost{}

// CallCost implements cost.ActualCostEstimator: ten units a call and one per ten bytes, as CEL charges for string functions.
func (helperCost) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	if !helperNames[function] {
		return nil
	}
	total := uint64(10)
	for _, arg := range args {
		total += uint64(weigh(arg)) / 10
	}
	return &total
}

// weight is the number of bytes and nodes in a decoded value.
func weight(v any) int {
	switch x := v.(type) {
	case string:
		return len(x) + 1
	case []string:
		n := 1
		for _, s := range x {
			n += len(s) + 1
		}
		return n
	case []any:
		n := 1
		for _, item := range x {
			n += weight(item)
		}
		return n
	case map[string]any:
		n := 1
		for k, item := range x {
			n += len(k) + 1 + weight(item)
		}
		return n
	}
	return 1
}

// duration is how pack durations print in messages and explanations.
func duration(d time.Duration) string {
	s := d.String()
	s = strings.TrimSuffix(s, "0s")
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if s == "" || s[len(s)-1] >= '0' && s[len(s)-1] <= '9' {
		return d.String()
	}
	return s
}

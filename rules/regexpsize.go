package rules

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// maxRegexpInstructions bounds the compiled program of one expression; Go's engine costs time proportional to it per byte.
const maxRegexpInstructions = 4096

// checkRegexpSize refuses an expression that is over-long, repeats too often, or compiles to too large a program.
func checkRegexpSize(expr string) error {
	if len(expr) > maxPatternBytes {
		return fmt.Errorf("regular expression of %d bytes; at most %d are allowed", len(expr), maxPatternBytes)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return fmt.Errorf("regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if n := largestRepeat(tree); n > maxRepeat {
		return fmt.Errorf("regular expression repeats %d times; at most %d are allowed", n, maxRepeat)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return fmt.Errorf("regular expression: %w", err)
	}
	if len(prog.Inst) > maxRegexpInstructions {
		return fmt.Errorf("regular expression compiles to %d instructions; at most %d are allowed", len(prog.Inst), maxRegexpInstructions)
	}
	return nil
}

func largestRepeat(tree *syntax.Regexp) int {
	largest := 0
	if tree.Op == syntax.OpRepeat {
		largest = max(tree.Min, tree.Max)
	}
	for _, sub := range tree.Sub {
		largest = max(largest, largestRepeat(sub))
	}
	return largest
}

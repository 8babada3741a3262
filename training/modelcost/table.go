package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// The marks of a page between which the table stands.
const (
	begin = "<!-- cost begin -->\n"
	end   = "<!-- cost end -->"
)

// judgeRow is the row that the others are compared with.
const judgeRow = 1

// markdown is the table, with what the judge is asked to read behind a gate.
func markdown(costs []cost, texts []text) string {
	var b strings.Builder
	size := 0
	for _, t := range texts {
		size += len(t.text)
	}
	fmt.Fprintf(&b, "%d harmless texts of the lengths of MCP traffic, %d bytes on average. Processor time; the last column is the same in parts of the judge alone.\n\n", len(texts), size/len(texts))
	b.WriteString("| | 512 tokens, ms | a text, ms | judge reads, % of the tokens it reads alone | judge alone = 100 |\n|---|--:|--:|--:|--:|\n")
	for i, c := range costs {
		share := ""
		if c.judged > 0 {
			share = fmt.Sprintf("%.1f", 100*float64(c.judged)/float64(max(1, alone(costs, i).tokens)))
		}
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %s | %.1f |\n", c.name, ms(c.per512()), ms(c.cpu)/float64(len(texts)), share,
			100*float64(c.cpu)/float64(max(1, costs[judgeRow].cpu)))
	}
	return b.String()
}

// alone is the row of the judge of row i without a gate: the row before it.
func alone(costs []cost, i int) cost { return costs[max(0, i-1)] }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// renew replaces what stands between the marks of a page.
func renew(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("renew page: %w", err)
	}
	head, rest, found := bytes.Cut(text, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return fmt.Errorf("renew page %q: no %q … %q", page, strings.TrimSpace(begin), end)
	}
	text = slices.Concat(head, []byte(begin), []byte(table), []byte(end), tail)
	if err := os.WriteFile(page, text, 0o644); err != nil { //nolint:gosec // a page of the repository
		return fmt.Errorf("renew page: %w", err)
	}
	return nil
}

package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Quantile is one known point of a distribution of lengths.
type Quantile struct {
	// P is the share of texts that are at most this long, in [0, 1].
	P float64
	// Chars is the length in characters.
	Chars float64
}

// Lengths is a distribution given by quantiles in rising order, from P 0 to P 1.
type Lengths []Quantile

// At is the length below which the share p of the texts lies. Between the known
// points it is interpolated on the logarithm of the length, because the lengths of
// texts spread over orders of magnitude.
func (l Lengths) At(p float64) int {
	p = min(max(p, 0), 1)
	for i := 1; i < len(l); i++ {
		if a, b := l[i-1], l[i]; p <= b.P {
			share := (p - a.P) / (b.P - a.P)
			return int(math.Round(math.Exp(math.Log(a.Chars) + share*(math.Log(b.Chars)-math.Log(a.Chars)))))
		}
	}
	return int(l[len(l)-1].Chars)
}

// Lengths of what MCP servers and their callers send, in characters. Measured on
// public servers: 4 899 descriptions of tools and parameters (149 servers), 1 366
// call arguments, 1 421 results (cut at 20 000 characters).
var (
	Descriptions = Lengths{{0, 8}, {0.5, 59}, {0.9, 424}, {0.95, 801}, {0.99, 2037}, {1, 10_205}}
	Arguments    = Lengths{{0, 22}, {0.5, 145}, {0.9, 434}, {0.95, 1367}, {0.99, 5822}, {1, 12_070}}
	Results      = Lengths{{0, 19}, {0.5, 804}, {0.9, 3648}, {0.95, 5478}, {0.99, 15_999}, {1, 20_000}}
)

// Part is one kind of text in a mix.
type Part struct {
	// Surface is where in MCP traffic such texts stand.
	Surface string
	// Weight is its share of the texts, relative to the other parts.
	Weight  float64
	Lengths Lengths
}

// Mix is a mixture of kinds of texts.
type Mix struct {
	Name  string
	Parts []Part
}

// The mixes a load test knows.
var (
	// Short are texts of about ten to thirty tokens, where batching pays most.
	Short = Mix{"short", []Part{{"params", 1, Lengths{{0, 30}, {0.5, 70}, {1, 120}}}}}
	// MCP is what a gateway sees: a call's arguments and its result in turn, and some
	// descriptions from lists of tools.
	MCP = Mix{"mcp", []Part{
		{"params", 0.45, Arguments},
		{"result", 0.45, Results},
		{"description", 0.10, Descriptions},
	}}
	// Long are pages and files, where batching pays nothing.
	Long = Mix{"long", []Part{{"result", 1, Lengths{{0, 2000}, {0.5, 6000}, {0.9, 15_000}, {1, 32_000}}}}}
)

// Mixes parses names of mixes, separated by commas.
func Mixes(names string) ([]Mix, error) {
	var out []Mix
	for name := range strings.SplitSeq(names, ",") {
		switch strings.TrimSpace(name) {
		case Short.Name:
			out = append(out, Short)
		case MCP.Name:
			out = append(out, MCP)
		case Long.Name:
			out = append(out, Long)
		default:
			return nil, fmt.Errorf("mix %q: want short, mcp or long", name)
		}
	}
	return out, nil
}

// pick draws a part by weight and a length from it.
func (m Mix) pick(r *rand.Rand) (surface string, chars int) {
	total := 0.0
	for _, p := range m.Parts {
		total += p.Weight
	}
	at := r.Float64() * total
	for i, p := range m.Parts {
		if at -= p.Weight; at < 0 || i == len(m.Parts)-1 {
			return p.Surface, p.Lengths.At(r.Float64())
		}
	}
	return "", 0 // a mix without parts
}

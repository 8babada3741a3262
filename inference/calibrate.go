package inference

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The share of benign documents that may score below a threshold: one in two
// hundred is blocked wrongly, one in fifty is reviewed.
const (
	blockQuantile  = 0.995
	reviewQuantile = 0.98
	// confidence is how sure a threshold is not below its true quantile.
	confidence = 0.95
)

// Calibrate sets thresholds on the scores of benign documents, each the highest
// of its windows. A threshold lies just above the upper confidence bound of its
// quantile (by order statistics: David and Nagaraja, "Order Statistics", 7.1);
// with too few documents for a bound it lies above all of them, and a warning
// says how many are needed.
func Calibrate(scores []float64) (t Thresholds, warnings []string, err error) {
	if len(scores) == 0 {
		return t, nil, errors.New("calibrate: no documents")
	}
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	if !(sorted[0] >= 0 && sorted[len(sorted)-1] <= 1) || slices.ContainsFunc(sorted, math.IsNaN) {
		return t, nil, errors.New("calibrate: scores must be from 0 to 1")
	}
	set := func(name string, quantile float64) float64 {
		rank, ok := upperRank(len(sorted), quantile)
		if !ok {
			need := int(math.Ceil(math.Log(1-confidence) / math.Log(quantile)))
			warnings = append(warnings, fmt.Sprintf("%s: %d documents are too few for the %.1fth percentile with %.0f %% confidence, which needs %d; the highest score is used",
				name, len(sorted), 100*quantile, 100*confidence, need))
		}
		return above(sorted[rank-1])
	}
	t.Block, t.Review = set("block", blockQuantile), set("review", reviewQuantile)
	return t, warnings, nil
}

// above returns a threshold that the score does not reach, in the four digits
// that a manifest shows, and 1 at most.
func above(score float64) float64 {
	return min(1, math.Floor(score*1e4+1)/1e4)
}

// upperRank returns the smallest rank, from 1, whose order statistic of n
// samples lies at or above the quantile with confidence; ok is false when no
// rank does, and then it is n.
func upperRank(n int, quantile float64) (rank int, ok bool) {
	// The number of samples below the quantile is binomial; the rank must
	// exceed it in all but 1-confidence of cases.
	tail := 0.0
	for k := n; k >= 0; k-- {
		tail += binomial(n, k, quantile)
		if tail > 1-confidence {
			// k may be reached too often: the rank is the one above.
			if k == n {
				return n, false
			}
			return k + 1, true
		}
	}
	return 1, true
}

// binomial is the probability of k successes of n.
func binomial(n, k int, p float64) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return math.Exp(lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

package measure

import "slices"

// Median is the middle value, the mean of the two middle ones of an even number,
// and 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}

// Best is the largest value, 0 of none.
func Best(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values)
}

// Ratios divides round by round: on a busy machine the rounds differ far more
// than what is compared within one. A round without a divisor is left out.
func Ratios(values, by []float64) []float64 {
	var out []float64
	for i := range min(len(values), len(by)) {
		if by[i] != 0 {
			out = append(out, values[i]/by[i])
		}
	}
	return out
}

// Turn is the order of n contestants in a round: every second round goes through them
// backwards, and each pair of rounds begins with the next one. So neighbours stay side by
// side, and none always follows the same other.
func Turn(n, round int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = (i + round/2) % n
	}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

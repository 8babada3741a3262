// Package measure is what the load tests measure with: latencies in a
// high-dynamic-range histogram, the processor time of this process, medians of
// rounds, and the open loop that starts work by a schedule and not by answers.
//
// It knows nothing of what it measures.
package measure

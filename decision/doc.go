// Package decision turns what was found about one exchange into one verdict.
//
// It owns the vocabulary every other room speaks ([Exchange], [Finding],
// [Hit], [Fault], [Verdict]) and the single pure function [Aggregate] in which
// block precedence, failure mode, review mode and dry run are applied. Nothing
// else in the product may resolve a fault or a review.
//
// It never reads a clock, never does I/O, never logs, and knows nothing of
// actors, gRPC or JSON. The root package aliases its types for embedders.
package decision

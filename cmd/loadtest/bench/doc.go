// Package bench measures batched inference: the model pool against the bare
// runtime, on the same queue of texts, with the same model, in one process.
//
// It owns the contestants (bare runtime with perfect batches, one by one, naive
// batches, the pool), the open loop, and what caching, early exit and a gate save.
// It decides nothing about the pool: it uses its handle and watches. The command
// "loadtest model" calls it.
package bench

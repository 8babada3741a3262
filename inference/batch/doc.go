// Package batch decides which queued windows a model reads together.
//
// It owns three pure things: the urgency-ordered [Queue] of windows, [Plan],
// which picks the next batch out of it, and [Cost], which learns what a batch
// costs so that work that cannot be ready in time is refused at once. It never
// reads a clock, starts a goroutine, locks or calls a model. The model pool
// calls it on its own turn, so nothing here is safe for concurrent use.
//
// Why batches are small: on a CPU a batch gains about 1.4 times for windows of 16
// to 32 tokens, a tenth at 64 and nothing from 128 on; beyond 128 to 512 padded
// tokens, by model and machine, it loses to the cache. Padding is paid in full, so
// neighbours must be of near length. A network of convolutions pays for places in
// strips of sixteen, so windows of different strips are kept apart where that was
// measured.
package batch

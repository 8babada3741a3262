// Package batch decides which queued windows a model reads together.
//
// It owns three pure things: the urgency-ordered [Queue] of windows, [Plan],
// which picks the next batch out of it, and [Cost], which learns what a batch
// costs so that work that cannot be ready in time is refused at once. It never
// reads a clock, starts a goroutine, locks or calls a model. The model pool
// calls it on its own turn, so nothing here is safe for concurrent use.
//
// Why batches are small: on a CPU a transformer gains 1.2 to 1.4 times by batches of
// windows of 16 to 32 tokens, a twentieth at 64 and nothing from 96 on, and beyond
// about 128 padded tokens it loses to the cache: of the shape of Prompt Guard 2 22M
// sixteen windows of 16 tokens cost a fifth more per token than eight, and eight of 32
// a twentieth more than four. Padding is paid in full, so neighbours must be of near
// length. A network of convolutions pays for places in strips of sixteen,
// so windows of different strips are kept apart where that was measured.
package batch

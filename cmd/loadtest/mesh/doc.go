// Package mesh measures the whole sidecar the way a gateway in a mesh uses it:
// exchanges of the MCP mix over gRPC, by a schedule that no slow answer delays.
//
// It owns the exchanges, the fate of each and what is sampled beside them: memory,
// goroutines, health. The command "loadtest serve" calls it.
package mesh

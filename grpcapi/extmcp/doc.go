// Package extmcp holds the wire types of the ExtMcp gRPC contract, generated from
// our own ext_mcp.proto, and nothing else. The grpcapi package serves them; the
// commands and the load generator use its client.
package extmcp

//go:generate ./generate.sh

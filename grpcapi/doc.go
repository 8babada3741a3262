// Package grpcapi is the gRPC face of the engine: the ExtMcp service that a
// gateway asks, grpc.health.v1 with the names that probes ask, and the transport
// under both. It maps the wire to [decision.Exchange] and [decision.Verdict] to
// the wire, and decides nothing itself.
//
// Two promises hold whatever the checker behind it does. A call whose message can
// be read is answered inside an OK reply whose result is set, because a gateway
// that fails open treats every gRPC error as a pass; and it is answered in time,
// because the gateway sends no deadline.
//
// The commands make a [Server], give it to the engine's front, and tell it with
// [Server.SetServing] what health shall say.
package grpcapi

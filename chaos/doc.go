// Package chaos breaks a whole engine on purpose and looks at what its callers
// are told meanwhile.
//
// Everything in it is a test behind the build tag chaos: "make chaos" runs it for
// a minute, docs/chaos.md says what it checks. It starts the engine with the real
// gRPC server, model, rule packs and audit file in one process, and from a seed
// kills and stalls actors, breaks the disk, the packs and the connections, floods,
// and shuts down, all under load. Each reply goes to an oracle that knows what may
// never be passed.
//
// Nothing imports it, and the product has no hook for it: a message that panics in
// the turn of whoever receives it, a file system behind the audit writer, files
// and sockets are enough.
package chaos

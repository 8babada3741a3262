// Package e2e tests the sidecar from outside: it builds the real binary once and
// drives it over gRPC, HTTP, signals and files, the way a gateway, an orchestrator
// and an operator do.
//
// It owns no product code and reaches into none: what a test needs to know, it
// reads from a reply, a health name, the admin port, the log or the audit file.
// Nobody imports it.
package e2e

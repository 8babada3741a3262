// Package admin owns the HTTP listener for operators: liveness, readiness, metrics and version for everyone who can reach it,
// and the configuration, the status, the log level and profiles only when it listens on loopback.
//
// It is the first part to start and the last to stop, so that a probe never finds a closed port while the process lives. It
// knows nothing of the engine: what it shows comes from functions that cmd injects. It changes nothing but the log level.
package admin

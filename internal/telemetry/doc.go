// Package telemetry owns what Sallyport tells its operators while it runs: the Prometheus metrics, the OpenTelemetry tracer and
// the logger, with every name as a constant in one place.
//
// Metrics go to an injected registry, never to the global one, and every series exists at zero from the start. Label values come
// from closed sets; whatever is not in its set is counted as "other", so no caller can add a series or break the exposition
// with odd bytes. No metric, span or log line carries a tool, a principal, a session, a ref or any payload.
//
// The root package and the actors record; cmd wires the registry, the tracer and the logger; docs/metrics.md and deploy/observability
// are checked against the names here by tests.
package telemetry

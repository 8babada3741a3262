// Package gateway looks at an agentgateway configuration with the eyes of the
// guardrail behind it: what it would never be asked about, what it would not be
// told, and where a fault would become a pass.
//
// It reads YAML and reports findings with their place. It changes nothing, speaks
// to no gateway and knows only what concerns mcpGuardrails; the gateway's own
// validation is the gateway's. The command `sallyport gateway lint` calls it.
package gateway

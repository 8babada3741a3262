package telemetry

// Prefix begins every metric name.
const Prefix = "mcp_guardrails_"

// Metric names.
const (
	NameDecisions         = Prefix + "decisions_total"
	NameDecisionDuration  = Prefix + "decision_duration_seconds"
	NameUndecided         = Prefix + "undecided_total"
	NameScannerResults    = Prefix + "scanner_results_total"
	NameScannerDuration   = Prefix + "scanner_duration_seconds"
	NameFindings          = Prefix + "findings_total"
	NameRedactions        = Prefix + "redactions_total"
	NameInvariantHits     = Prefix + "invariant_hits_total"
	NameRulesReload       = Prefix + "rules_reload_total"
	NameRulesVersion      = Prefix + "rules_version"
	NameRulesLastReloadOK = Prefix + "rules_last_reload_successful"
	NameRulesLastReloadAt = Prefix + "rules_last_reload_timestamp_seconds"
	NameHealthTransitions = Prefix + "health_transitions_total"
	NameServing           = Prefix + "serving"
	NameInflight          = Prefix + "inflight"
	NameInflightBytes     = Prefix + "inflight_bytes"
	NameShed              = Prefix + "shed_total"
	NameModelQueueWindows = Prefix + "model_queue_windows"
	NameModelBatchWindows = Prefix + "model_batch_windows"
	NameModelBatchTokens  = Prefix + "model_batch_tokens"
	NameModelPaddingRatio = Prefix + "model_padding_ratio"
	NameModelBatchWait    = Prefix + "model_batch_wait_seconds"
	NameModelInfer        = Prefix + "model_infer_seconds"
	NameModelCache        = Prefix + "model_cache_total"
	NameModelWorkers      = Prefix + "model_workers"
	NameModelAbandoned    = Prefix + "model_workers_abandoned_total"
	NameActorRestarts     = Prefix + "actor_restarts_total"
	NameMailboxDepth      = Prefix + "mailbox_depth"
	NameTraceKeys         = Prefix + "trace_keys"
	NameTraceEvictions    = Prefix + "trace_evictions_total"
	NameTokens            = Prefix + "exchange_tokens_total"
	NameAuditLines        = Prefix + "audit_lines_total"
	NameAuditDropped      = Prefix + "audit_dropped_total"
	NameCoveragePartial   = Prefix + "coverage_partial_total"
	NameTransportRefused  = Prefix + "transport_refused_total"
	NameTLSReload         = Prefix + "tls_reload_total"
	NameTLSExpiry         = Prefix + "tls_certificate_expiry_timestamp_seconds"
	NameSharedKeys        = Prefix + "shared_key_exchanges_total"
	NameRuleErrors        = Prefix + "rule_errors_total"
	NameBuildInfo         = Prefix + "build_info"
)

// Label names.
const (
	LabelPhase    = "phase"
	LabelOutcome  = "outcome"
	LabelMethod   = "method"
	LabelScanner  = "scanner"
	LabelCategory = "category"
	LabelSeverity = "severity"
	LabelRule     = "rule"
	LabelAction   = "action"
	LabelResult   = "result"
	LabelTo       = "to"
	LabelReason   = "reason"
	LabelState    = "state"
	LabelActor    = "actor"
	LabelVersion  = "version"
	LabelRevision = "revision"
	LabelGo       = "go_version"
)

// Other is the label value of whatever is not in a closed set.
const Other = "other"

// Results of one scanner run, besides the outcome kinds of a health sample.
const (
	ScanClean     = "clean"     // nothing found
	ScanFound     = "found"     // at least one finding
	ScanError     = "error"     // a fault of ours
	ScanTimeout   = "timeout"   // started in time, not finished in time, by a scanner that did nothing else either
	ScanShed      = "shed"      // refused at once (queue full, no time left), or late under load
	ScanCancelled = "cancelled" // the caller gave up
	ScanFault     = "fault"     // the input made it fail: a rule error, a window that the runtime refuses
)

// Reasons of a shed exchange.
const (
	ShedInflight = "inflight" // too many exchanges
	ShedBytes    = "bytes"    // too many payload bytes
)

// Results of a look into the score cache.
const (
	CacheHit  = "hit"  // the score was remembered
	CacheMiss = "miss" // it has to be computed
)

// Reasons for which a server in front of the engine refuses what the engine never sees.
const (
	TransportOversize    = "oversize"           // a message over the receive limit
	TransportUndecodable = "undecodable"        // a message that is not what the contract says
	TransportOverdue     = "overdue"            // the engine did not answer in time
	TransportPanic       = "panic"              // the mapping panicked
	TransportConns       = "connections"        // a call over a connection beyond the limit, or such a connection
	TransportClient      = "client_certificate" // a client without a certificate that we accept
	TransportHandshake   = "handshake"          // a TLS handshake that failed for another reason
)

// States of a model worker.
const (
	WorkerIdle      = "idle"
	WorkerBusy      = "busy"
	WorkerDown      = "down"      // starting, or waiting for its restart
	WorkerAbandoned = "abandoned" // stuck in a native call that does not return
)

// Fates of a hand-back token.
const (
	TokenValid    = "valid"
	TokenMissing  = "missing"
	TokenUnknown  = "unknown_key" // another or a newer process signed it
	TokenExpired  = "expired"
	TokenInvalid  = "invalid"  // wrong MAC, or another service or method
	TokenRepeated = "repeated" // its result event was already fed
)

// Results of a reload.
const (
	ReloadOK        = "success"
	ReloadFailed    = "error"
	ReloadUnchanged = "unchanged"
)

// methods are the JSON-RPC methods of MCP that a gateway can hand us, of both protocol generations.
var methods = []string{
	"completion/complete", "elicitation/create", "initialize", "logging/setLevel",
	"notifications/cancelled", "notifications/initialized", "notifications/message", "notifications/progress",
	"notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated",
	"notifications/roots/list_changed", "notifications/tools/list_changed",
	"ping", "prompts/get", "prompts/list", "resources/list", "resources/read", "resources/subscribe",
	"resources/templates/list", "resources/unsubscribe", "roots/list", "sampling/createMessage",
	"server/discover", "subscriptions/listen", "tasks/cancel", "tasks/get", "tasks/list", "tasks/result", "tasks/update",
	"tools/call", "tools/list",
}

// actorNames are the actors whose restarts and mailboxes are reported; a name with an index counts as the name before it.
var actorNames = []string{
	"audit", "front", "gate", "health", "lifecycle", "modelpool", "modelworker", "pins", "root", "rules", "trace",
}

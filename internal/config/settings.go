package config

import "time"

// The values of the enumerated settings, in the spelling that Load returns
// whatever the case they were written in.
const (
	FailClosed = "failClosed"
	FailOpen   = "failOpen"

	ReviewPass = "pass"
	ReviewDeny = "deny"

	ToolsRemove = "remove"
	ToolsDeny   = "deny"
	ToolsNote   = "note"

	AuditContinue = "continue"
	AuditDeny     = "deny"

	FsyncInterval = "interval"
	FsyncNever    = "never"

	ModelDefault = "default"
	ModelOff     = "off"
)

// Settings is the whole configuration of the sidecar. Each field is one row of
// [Table]; the row has the default, the range and the documentation, and a test
// keeps the two together. A zero where the row has no default means "not given":
// the field's comment says what happens then.
type Settings struct {
	// ListenAddr is where the gRPC server listens: host:port or unix:/path.
	ListenAddr string
	// AdminAddr is the host:port of the admin HTTP server.
	AdminAddr string
	// Config is the path of the YAML file that was read, "" for none.
	Config string
	// LogLevel is debug, info, warn or error.
	LogLevel string

	// FailureMode is FailClosed or FailOpen.
	FailureMode string
	// HumanReviewMode is ReviewPass or ReviewDeny.
	HumanReviewMode string
	// DryRun records what policy would do and passes.
	DryRun bool
	// AllowTools and DenyTools are globs on "tool" or "service/tool"; deny wins,
	// and an empty allow list allows every tool.
	AllowTools, DenyTools []string

	// ScanMaxPayloadBytes bounds one payload, in bytes.
	ScanMaxPayloadBytes int64
	// MaxJSONDepth bounds the nesting of a payload, in levels.
	MaxJSONDepth int
	// RedactResponses masks secrets and personal data in results.
	RedactResponses bool
	// RedactRequestParams masks them in calls, instead of denying secrets.
	RedactRequestParams bool

	// ToolsListAction is what happens to a poisoned tool definition: ToolsRemove,
	// ToolsDeny or ToolsNote.
	ToolsListAction string
	// PinAction is the same for a definition that changed since it was pinned.
	PinAction string
	// PinsFile keeps pins across restarts; "" keeps them in memory.
	PinsFile string
	// HideDeniedTools removes tools that the ACL denies from lists.
	HideDeniedTools bool

	// Model is ModelDefault, ModelOff or a model directory.
	Model string
	// ModelFile is the file of the model directory to load.
	ModelFile string
	// ModelGate puts the small model in front of the judge.
	ModelGate bool
	// ModelLabel names the malicious label; "" finds it in config.json.
	ModelLabel string
	// PGBlockThreshold and PGReviewThreshold are scores in (0,1]; 0 takes what the
	// model was calibrated to.
	PGBlockThreshold, PGReviewThreshold float64
	// ModelWorkers is the number of inference workers; 0 is one per usable CPU.
	ModelWorkers int
	// ModelMaxWindows bounds what the gate reads of a payload, ModelJudgeWindows
	// what the judge reads, in windows.
	ModelMaxWindows, ModelJudgeWindows int
	// ModelQueueTokens bounds the inference queue, in tokens.
	ModelQueueTokens int
	// ModelCache bounds the score cache, in entries; 0 switches it off.
	ModelCache int
	// ONNXRuntimeLib is the shared library; "" looks beside the executable, then
	// where the system looks.
	ONNXRuntimeLib string

	// InvariantRulesPath is a rule pack, a file or a directory; "" is the embedded
	// default pack.
	InvariantRulesPath string
	// InvariantMaxTraces bounds the trace keys that rules remember.
	InvariantMaxTraces int
	// RulesWatch reloads the pack when its files change.
	RulesWatch bool
	// TraceKey are the sources of the trace key in order: meta.<key> or
	// header.<name>.
	TraceKey []string
	// RuleHeaders are the client headers that rules may read, in lower case.
	RuleHeaders []string

	// ExchangeKey are the keys of the hand-back token: the first signs, all
	// verify. Empty is a random key for the life of the process.
	ExchangeKey Secrets
	// ExchangeTokenMaxAge is how long a token is honoured.
	ExchangeTokenMaxAge time.Duration

	// ScannerTimeout bounds one scanner; 0 lets the engine derive it from the model.
	ScannerTimeout time.Duration
	// ExchangeTimeout bounds one exchange; 0 lets the engine derive it.
	ExchangeTimeout time.Duration
	// MaxInflight bounds the exchanges that are decided at once.
	MaxInflight int
	// MaxInflightBytes bounds the sum of their payloads, in bytes.
	MaxInflightBytes int64

	// GRPCMaxRecvBytes bounds one received message, in bytes.
	GRPCMaxRecvBytes int64
	// GRPCMaxStreams bounds the streams of a connection, GRPCMaxConns the
	// connections.
	GRPCMaxStreams, GRPCMaxConns int
	// GRPCReflection answers server reflection.
	GRPCReflection bool
	// TLSCertFile and TLSKeyFile switch TLS on; TLSClientCAFile asks clients for a
	// certificate; TLSAllowedSANs are the URI and DNS names that may call, empty
	// for every certificate of that CA.
	TLSCertFile, TLSKeyFile, TLSClientCAFile string
	TLSAllowedSANs                           []string

	// UnhealthyScannerWindow is the number of scanner outcomes looked at,
	// UnhealthyScannerMinSamples how many there must be, and
	// UnhealthyScannerErrorRate the share of faults in [0,1] above which readiness
	// leaves.
	UnhealthyScannerWindow, UnhealthyScannerMinSamples int
	UnhealthyScannerErrorRate                          float64

	// ShutdownDrain is how long calls are still taken after the signal,
	// ShutdownGrace how long calls in flight may finish, ShutdownCleanup what the
	// clean-up may take in total.
	ShutdownDrain, ShutdownGrace, ShutdownCleanup time.Duration
	// TerminationGrace is what the platform grants before it kills; 0 is unknown.
	TerminationGrace time.Duration

	// AuditLogPath is a file, or "-" for stdout.
	AuditLogPath string
	// AuditFailureMode is AuditContinue or AuditDeny.
	AuditFailureMode string
	// AuditFsync is FsyncInterval or FsyncNever.
	AuditFsync string
	// AuditHMACKey keys the fingerprints of high-entropy findings; "" omits them.
	AuditHMACKey Secret
	// AuditSignKeyFile is a PEM Ed25519 key that signs checkpoints; "" for none.
	AuditSignKeyFile string
	// AuditHeaders are the client headers written to the trail, in lower case.
	AuditHeaders []string

	// AdminPprof serves profiles on a loopback admin listener.
	AdminPprof bool

	// Profiles override verdict settings by service or route; file only.
	Profiles []Profile

	// origins says where each setting that is not a default came from.
	origins map[string]string
}

// minScannerTimeout is the least time that the engine gives a scanner by itself.
const minScannerTimeout = 500 * time.Millisecond

// terminationSlack is what the platform must grant beyond our budgets.
const terminationSlack = time.Second

// Origin says where a setting's value came from: "default", the position in the
// file, the environment variable or the flag.
func (s *Settings) Origin(name string) string {
	if o, ok := s.origins[name]; ok {
		return o
	}
	return "default"
}

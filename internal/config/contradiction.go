package config

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// contradictions adds what is wrong between settings that are each right alone.
func (s *Settings) contradictions(p *Problems) {
	s.transportContradictions(p)
	if s.TerminationGrace > 0 {
		if need := s.TerminationNeed(); s.TerminationGrace <= need {
			p.add("", "TERMINATION_GRACE_S", "%v is not more than drain, grace, clean-up and a second together, which take %v", s.TerminationGrace, need)
		}
	}
	switch {
	case s.ExchangeTimeout == 0:
	case s.ScannerTimeout > s.ExchangeTimeout:
		p.add("", "SCANNER_TIMEOUT_MS", "%v is over EXCHANGE_TIMEOUT_MS, %v", s.ScannerTimeout, s.ExchangeTimeout)
	case s.ScannerTimeout == 0 && s.ExchangeTimeout < minScannerTimeout:
		p.add("", "EXCHANGE_TIMEOUT_MS", "%v is under the least scanner timeout, %v; give SCANNER_TIMEOUT_MS too", s.ExchangeTimeout, minScannerTimeout)
	}
	if s.MaxInflightBytes < s.ScanMaxPayloadBytes {
		p.add("", "MAX_INFLIGHT_BYTES", "%s could never admit a payload of SCAN_MAX_PAYLOAD_BYTES, %s", formatBytes(s.MaxInflightBytes), formatBytes(s.ScanMaxPayloadBytes))
	}
	if s.Model == ModelDefault && s.ModelFile != index["MODEL_FILE"].Default {
		// Passed over it would leave the embedded model in place of the one meant.
		p.add("", "MODEL_FILE", "%s is a file of no model directory: MODEL is the embedded one", quote(s.ModelFile))
	}
	if s.ModelJudgeWindows > s.ModelMaxWindows {
		p.add("", "MODEL_JUDGE_WINDOWS", "%d is over MODEL_MAX_WINDOWS, %d", s.ModelJudgeWindows, s.ModelMaxWindows)
	}
	if s.UnhealthyScannerMinSamples > s.UnhealthyScannerWindow {
		p.add("", "UNHEALTHY_SCANNER_MIN_SAMPLES", "%d can never be reached in a window of %d", s.UnhealthyScannerMinSamples, s.UnhealthyScannerWindow)
	}
	if s.RulesWatch && s.InvariantRulesPath == "" {
		p.add("", "RULES_WATCH", "there is nothing to watch without INVARIANT_RULES_PATH")
	}
	thresholds(p, "", s.Verdict())
	for _, f := range s.Profiles {
		thresholds(p, "profile "+f.Name, f.Verdict)
	}
	s.traceContradictions(p)
}

func thresholds(p *Problems, where string, v Verdict) {
	if v.PGBlockThreshold > 0 && v.PGReviewThreshold > v.PGBlockThreshold {
		p.add(where, "PG_REVIEW_THRESHOLD", "%s is over PG_BLOCK_THRESHOLD, %s", formatFloat(v.PGReviewThreshold), formatFloat(v.PGBlockThreshold))
	}
}

func (s *Settings) transportContradictions(p *Problems) {
	if s.GRPCMaxRecvBytes <= s.ScanMaxPayloadBytes {
		p.add("", "GRPC_MAX_RECV_BYTES", "%s is not above SCAN_MAX_PAYLOAD_BYTES, %s", formatBytes(s.GRPCMaxRecvBytes), formatBytes(s.ScanMaxPayloadBytes))
	}
	if (s.TLSCertFile == "") != (s.TLSKeyFile == "") {
		p.add("", "TLS_CERT_FILE", "and TLS_KEY_FILE are given together or not at all")
	}
	if s.TLSClientCAFile != "" && s.TLSCertFile == "" {
		p.add("", "TLS_CLIENT_CA_FILE", "asks clients for a certificate, but there is no TLS_CERT_FILE")
	}
	if len(s.TLSAllowedSANs) > 0 && s.TLSClientCAFile == "" {
		p.add("", "TLS_ALLOWED_SANS", "checks client certificates, but there is no TLS_CLIENT_CA_FILE")
	}
	if s.ListenAddr == s.AdminAddr && !strings.HasSuffix(s.AdminAddr, ":0") {
		p.add("", "ADMIN_ADDR", "is also LISTEN_ADDR, %s", s.ListenAddr)
	}
	if s.AdminPprof && !Loopback(s.AdminAddr) {
		p.add("", "ADMIN_PPROF", "profiles are served on loopback only, and ADMIN_ADDR is %s", quote(s.AdminAddr))
	}
}

// alwaysKept are the headers that are read whatever the settings say.
var alwaysKept = []string{"mcp-session-id", "x-request-id"}

func (s *Settings) traceContradictions(p *Problems) {
	for _, source := range s.TraceKey {
		name, ok := strings.CutPrefix(source, "header.")
		name = strings.ToLower(name)
		if ok && !slices.Contains(alwaysKept, name) && !slices.Contains(s.RuleHeaders, name) && !slices.Contains(s.AuditHeaders, name) {
			p.add("", "TRACE_KEY", "%s is never read: add the header to RULE_HEADERS", quote(source))
		}
	}
}

// Loopback reports whether a listen address can be reached from this host only.
// An address without a host listens everywhere; a host name other than localhost
// is taken to be reachable.
func Loopback(addr string) bool {
	if strings.HasPrefix(addr, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// TerminationNeed is what the platform must grant between the signal and the
// kill, which the manifests are generated from.
func (s *Settings) TerminationNeed() time.Duration {
	return s.ShutdownDrain + s.ShutdownGrace + s.ShutdownCleanup + terminationSlack
}

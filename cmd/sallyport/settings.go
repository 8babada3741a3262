package main

import (
	"crypto/ed25519"
	"fmt"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/config"
	"github.com/sallyport-mcp/sallyport/internal/plainfile"
)

// engineConfig translates the sidecar's settings into an engine's.
func engineConfig(s *config.Settings) sallyport.Config {
	c := sallyport.DefaultConfig()
	c.Policy = enginePolicy(s)
	m := inBinary.models(s)
	c.Model, c.Gate, c.ModelWide = m.judge, m.gate, m.wide
	c.ModelLabel, c.RuntimeLib = s.ModelLabel, s.ONNXRuntimeLib
	c.ModelWorkers, c.ModelMaxWindows, c.ModelJudgeWindows = s.ModelWorkers, s.ModelMaxWindows, s.ModelJudgeWindows
	c.ModelQueueTokens, c.ModelCache = s.ModelQueueTokens, s.ModelCache
	c.MaxPayloadBytes, c.MaxJSONDepth = int(s.ScanMaxPayloadBytes), s.MaxJSONDepth
	c.MaxInflight, c.MaxInflightBytes = s.MaxInflight, s.MaxInflightBytes
	c.ScannerTimeout, c.ExchangeTimeout = s.ScannerTimeout, s.ExchangeTimeout
	c.TraceKey, c.MaxTraces, c.RuleHeaders = s.TraceKey, s.InvariantMaxTraces, s.RuleHeaders
	for _, k := range s.ExchangeKey {
		c.ExchangeKeys = append(c.ExchangeKeys, []byte(k.Reveal()))
	}
	c.ExchangeTokenMaxAge = s.ExchangeTokenMaxAge
	c.UnhealthyWindow, c.UnhealthyMinSamples, c.UnhealthyErrorRate = s.UnhealthyScannerWindow, s.UnhealthyScannerMinSamples, s.UnhealthyScannerErrorRate
	c.Drain, c.Grace, c.Cleanup = s.ShutdownDrain, s.ShutdownGrace, s.ShutdownCleanup
	c.PinsFile = s.PinsFile
	c.AuditRequired = s.AuditFailureMode == config.AuditDeny
	c.AuditHMACKey, c.AuditHeaders = []byte(s.AuditHMACKey.Reveal()), s.AuditHeaders
	return c
}

// enginePolicy is the reloadable part.
func enginePolicy(s *config.Settings) sallyport.Policy {
	p := sallyport.Policy{
		RulesPath:  s.InvariantRulesPath,
		Default:    profile("", s.Verdict()),
		AllowTools: s.AllowTools,
		DenyTools:  s.DenyTools,
	}
	for _, scoped := range s.Profiles {
		p.Profiles = append(p.Profiles, sallyport.ScopedProfile{
			Profile: profile(scoped.Name, scoped.Verdict), Services: scoped.Services, Routes: scoped.Routes,
		})
	}
	return p
}

func profile(name string, v config.Verdict) decision.Profile {
	p := decision.Profile{
		Name:            name,
		Policy:          decision.Policy{DryRun: v.DryRun},
		BlockAt:         v.PGBlockThreshold,
		ReviewAt:        v.PGReviewThreshold,
		RedactResponses: v.RedactResponses,
		RedactRequests:  v.RedactRequestParams,
		PoisonedTools:   listAction(v.ToolsListAction),
		DriftedTools:    listAction(v.PinAction),
		HideDenied:      v.HideDeniedTools,
	}
	if v.FailureMode == config.FailOpen {
		p.Failure = decision.FailOpen
	}
	if v.HumanReviewMode == config.ReviewDeny {
		p.Review = decision.ReviewDeny
	}
	return p
}

func listAction(word string) decision.ListAction {
	switch word {
	case config.ToolsRemove:
		return decision.ListRemove
	case config.ToolsDeny:
		return decision.ListDeny
	}
	return decision.ListNote
}

// openAudit opens the audit trail that the settings name.
func openAudit(s *config.Settings) (sallyport.AuditSink, error) {
	f := sallyport.AuditFile{Path: s.AuditLogPath, NoSync: s.AuditFsync == config.FsyncNever}
	if s.AuditSignKeyFile != "" {
		key, err := signingKey(s.AuditSignKeyFile)
		if err != nil {
			return nil, err
		}
		f.SignKey = key
	}
	return sallyport.OpenAuditFile(f)
}

func signingKey(path string) (ed25519.PrivateKey, error) {
	data, err := plainfile.ReadOrWait(path)
	if err != nil {
		return nil, fmt.Errorf("AUDIT_SIGN_KEY_FILE: %w", err)
	}
	key, err := audit.ParseSigningKey(data)
	if err != nil {
		return nil, fmt.Errorf("AUDIT_SIGN_KEY_FILE: %q: %w", path, err)
	}
	return key, nil
}

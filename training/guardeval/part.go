package main

import (
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// part is a part of the guardrail that can speak about a text.
type part uint8

const (
	byModel    part = iota // the classifier
	byOverride             // wording that sets instructions aside, takes the model over or asks for its prompt
	byMarker               // forged turns, control tokens, fences
	byPoison               // wording of poisoned tool definitions
	byMarkup               // orders in comments, invisible styles, alternative texts
	byHidden               // invisible characters
	byExfil                // addresses that carry data away
	bySecret               // credentials
	byPerson               // personal data
	byRule                 // a rule of the default pack
	byCoverage             // what was not read in full
	byOther                // pins, policy detectors
	partCount  = iota
)

var partNames = [partCount]string{"model", "override", "markers", "poison", "markup", "hidden text", "exfiltration", "secrets", "personal data", "rules", "coverage", "other"}

// String is the name in the report.
func (p part) String() string { return partNames[p] }

// partsByDetector are the detectors of one category that the report tells apart.
var partsByDetector = map[string]part{
	"classifier":           byModel,
	"instruction-override": byOverride,
	"chat-control-token":   byMarker,
	"fake-turn":            byMarker,
	"system-block":         byMarker,
	"document-fence":       byMarker,
	"tool-poisoning":       byPoison,
	"hidden-instruction":   byMarkup,
	"incomplete-decode":    byCoverage,
}

// partOf tells which part a finding is from.
func partOf(f audit.Finding) part {
	if p, ok := partsByDetector[f.Detector]; ok {
		return p
	}
	switch decision.Category(f.Category) {
	case decision.PromptInjection:
		return byOverride
	case decision.HiddenText:
		return byHidden
	case decision.Exfiltration:
		return byExfil
	case decision.Secret:
		return bySecret
	case decision.PersonalData:
		return byPerson
	}
	return byOther
}

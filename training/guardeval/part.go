package main

import (
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// part is a part of the guardrail that can speak about a text.
type part uint8

const (
	byModel      part = iota // the classifier
	byOverride               // wording that sets instructions aside
	byTakeover               // wording that makes the model another one
	byExtraction             // requests for the model's own instructions
	byAddress                // notes to whatever machine reads the text
	byMarker                 // forged turns, control tokens, fences
	byPoison                 // wording of poisoned tool definitions
	byMarkup                 // orders in comments, invisible styles, alternative texts
	byHidden                 // invisible characters
	byExfil                  // addresses that carry data away
	bySecret                 // credentials
	byPerson                 // personal data
	byRule                   // a rule of the default pack
	byCoverage               // what was not read in full
	byOther                  // pins, policy detectors
	partCount    = iota
)

var partNames = [partCount]string{"model", "override", "takeover", "extraction", "address", "markers", "poison", "markup", "hidden text", "exfiltration", "secrets", "personal data", "rules", "coverage", "other"}

// String is the name in the report.
func (p part) String() string { return partNames[p] }

// partsByDetector are the detectors of one category that the report tells apart.
var partsByDetector = map[string]part{
	"classifier":           byModel,
	"instruction-override": byOverride,
	"role-takeover":        byTakeover,
	"prompt-extraction":    byExtraction,
	"model-address":        byAddress,
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

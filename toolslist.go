package sallyport

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
)

// inspectTools judges the tool definitions of a list one by one: hides what
// policy would refuse, and compares the others with their pins.
func (r *run) inspectTools(ctx context.Context) {
	tools := r.doc.Tools()
	if len(tools) == 0 {
		return
	}
	if r.profile.HideDenied {
		for _, t := range tools {
			if !r.callable(t.Name) {
				r.drop(t.Index)
			}
		}
	}
	if r.refused() {
		return // a list that nobody gets to see pins nothing
	}
	for service, group := range r.byService(tools) {
		r.pin(ctx, service, group)
	}
}

// refused reports whether the list is refused already, by a finding or because it
// could not be decided.
func (r *run) refused() bool {
	for _, f := range r.in.Findings {
		if f.Severity == decision.Block {
			return true
		}
	}
	return len(r.in.Faults) > 0 && decision.Aggregate(r.in, r.verdictPolicy()).Denied()
}

// callable reports whether policy lets a listed tool be called under at least
// one reading of its name; hiding is a courtesy, the call itself is what is
// refused.
func (r *run) callable(listed string) bool {
	for _, n := range callNames(listed, r.ex.Services) {
		if r.policy.acl.Allowed(n[0], n[1]) {
			return true
		}
	}
	return false
}

// byService sorts the tools by the service that offers them, under their native names.
func (r *run) byService(tools []content.ToolDef) map[string][]messages.ToolPin {
	groups := make(map[string][]messages.ToolPin)
	for _, t := range tools {
		if _, dropped := r.dropping[t.Index]; dropped {
			continue // what is not offered must not become what the tool is held to
		}
		if t.Name == "" {
			continue // nobody can call it, and several of them would be one another's drift
		}
		service, name := nativeTool(t.Name, r.ex.Services)
		p, err := toolPin(t.Renamed(name))
		if err != nil {
			// The body was parsed strictly, so a definition that cannot be put into its
			// canonical form is a fault of ours: no pin, and a person looks.
			r.found(decision.Finding{
				Scanner: decision.ScannerPins, Detector: "pin_unreadable", Category: decision.GeneralPolicy, Severity: decision.Review,
			}, t.Index)
			continue
		}
		groups[service] = append(groups[service], p)
	}
	return groups
}

func toolPin(t content.ToolDef) (messages.ToolPin, error) {
	whole, err := t.Hash()
	if err != nil {
		return messages.ToolPin{}, err
	}
	fields, err := t.Fields()
	if err != nil {
		return messages.ToolPin{}, err
	}
	p := messages.ToolPin{Index: t.Index, Name: t.Name, Hash: pinHash(whole), Fields: make(map[string]messages.PinHash, len(fields))}
	for field, sum := range fields {
		p.Fields[field] = pinHash(sum)
	}
	return p, nil
}

func pinHash(text string) (h messages.PinHash) {
	if _, err := hex.Decode(h[:], []byte(text)); err != nil {
		panic(err) // content promises 64 hex digits
	}
	return h
}

// pin compares tools with their pins and applies what the profile says about drift.
func (r *run) pin(ctx context.Context, service string, tools []messages.ToolPin) {
	began := r.e.now()
	found, err := r.e.tree().Pins.Observe(ctx, service, tools, began)
	if err != nil {
		if ctx.Err() != nil {
			r.fault(decision.ScannerPins, r.e.interrupted(ctx, decision.ScannerPins, began, true), "pins")
			return
		}
		r.fault(decision.ScannerPins, decision.FaultDown, "pins")
		r.e.broken(decision.ScannerPins, began)
		return
	}
	result := telemetry.ScanClean
	if len(found) > 0 {
		result = telemetry.ScanFound
	}
	r.e.scanned(decision.ScannerPins, result, began)
	clean := newCleaner(r.scanner())
	for _, p := range found {
		f := decision.Finding{
			Scanner: decision.ScannerPins, Detector: "pin_" + p.Kind.String(), Category: decision.ToolPolicy,
			Severity: decision.Note, Path: "/tools/" + strconv.Itoa(p.Index),
		}
		switch p.Kind {
		case messages.PinDrift, messages.PinUnpinned: // what no pin holds could change into anything
			f.Detector += changedMembers(p.Changed, clean)
			switch r.profile.DriftedTools {
			case decision.ListRemove:
				r.drop(p.Index)
			case decision.ListDeny:
				f.Severity = decision.Block
			case decision.ListNote:
			}
		case messages.PinConfusable:
			f.Severity = decision.Review
		case messages.PinShadowed:
			// Two services with a tool of the same name are common and the gateway
			// keeps them apart; the trail says so and nobody is paged.
		}
		r.in.Findings = append(r.in.Findings, f)
	}
}

// changedMembers is what the trail says behind "pin_drift": the members that differ,
// whose names are the server's. It goes no further than the trail, which cuts it.
func changedMembers(names []string, clean *cleaner) string {
	var told strings.Builder
	for i, name := range names {
		if told.Len() > maxChanged {
			break
		}
		if i == 0 {
			told.WriteByte(':')
		} else {
			told.WriteByte(',')
		}
		told.WriteString(clean.member(name))
	}
	return told.String()
}

// maxChanged is above what the trail keeps of a detector's name, in bytes: a definition
// may have as many members as a body has room for, and each would be scanned.
const maxChanged = 1 << 10

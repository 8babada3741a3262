package content

import (
	"context"
	"encoding/json/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// userSamples are detectors of a rule pack: gated by a keyword or not, masked or not, with a capture group, on one side
// or in one role, each with a text that it finds once.
var userSamples = []struct {
	Detector
	text string
}{
	{Detector{Name: "ticket", Severity: Block, Keywords: []string{"tick-"}, Pattern: `tick-[0-9]{6}`, Mask: "TICKET"}, "tick-123456"},
	{Detector{Name: "ungated", Severity: Review, Pattern: `\bqq[0-9]{4}zz\b`}, "qq1234zz"},
	{Detector{Name: "grouped", Severity: Block, Keywords: []string{"vault:"}, Pattern: `vault:([a-z]{4}[0-9]{4})`, Mask: "VAULT"}, "vault:abcd1234"},
	{Detector{Name: "checked", Severity: Note, Keywords: []string{"card#"}, Pattern: `card#[0-9]{16}`, Validator: "luhn"}, "card#4111111111111111"},
	{Detector{Name: "asked", Severity: Block, Keywords: []string{"askme"}, Pattern: `askme[0-9]+`, Side: "request"}, "askme77"},
	{Detector{Name: "described", Severity: Block, Keywords: []string{"descr!"}, Pattern: `descr![0-9]+`, Roles: []string{"description"}}, "descr!77"},
	{Detector{Name: "as-written", Severity: Block, Keywords: []string{"rawly"}, Pattern: `rawly[0-9]+`, Views: []string{ViewRaw}}, "rawly77"},
}

// TestPlacementOfUserDetectors puts the text of every detector of a rule pack into every place of every message, as it
// is, in full-width letters and encoded: it is found once where the detector looks, with the right pointer, and nowhere
// else; what is masked is gone from the rewritten body.
func TestPlacementOfUserDetectors(t *testing.T) {
	var user []Detector
	for _, u := range userSamples {
		user = append(user, u.Detector)
	}
	s, err := Compile(user, nil)
	require.NoError(t, err)
	placements, turn := 0, 0
	for i := range messages {
		m := &messages[i]
		for _, at := range spots(t, m.body) {
			for _, u := range userSamples {
				turn++
				for view, text := range map[string]string{
					ViewRaw: carrier(u.text), ViewNormalised: carrier(wide(u.text)), ViewDecoded: carrier(disguises[ViewDecoded][turn%len(disguises[ViewDecoded])](u.text)),
				} {
					b, err := json.Marshal(text)
					require.NoError(t, err)
					d, err := Parse([]byte(at.before+string(b)+at.after), Limits{})
					require.NoError(t, err)
					require.NoError(t, d.Assign(m.method, m.side))
					role := roleAt(d, &at)
					if view == ViewDecoded && role == RoleBlob && !at.key {
						continue
					}
					r, err := s.Scan(context.Background(), d, m.side)
					require.NoError(t, err)
					var found []Finding
					for _, f := range r.Findings {
						if f.Detector == u.Name {
							found = append(found, f)
						}
					}
					where := u.Name + " in the " + view + " view at " + string(at.pointer) + " of " + m.method
					looks := (u.Side == "" || m.side == SideRequest) && (u.Roles == nil || role == RoleDescription) && (u.Views == nil || view == ViewRaw)
					if !looks {
						require.Empty(t, found, where)
						continue
					}
					placements++
					require.Len(t, found, 1, where)
					require.Equal(t, at.named(text), found[0].Path, where)
					require.Equal(t, view, found[0].View, where)
					if u.Mask == "" || at.key {
						require.Empty(t, found[0].Mask, where)
						continue
					}
					w, err := Rewrite(d, Mutation{Mask: found})
					require.NoError(t, err, where)
					require.Contains(t, string(w.Bytes), "[REDACTED:"+u.Mask+"]", where)
					if view == ViewRaw {
						require.NotContains(t, string(w.Bytes), u.text, where)
					}
				}
			}
		}
	}
	require.Greater(t, placements, 2_000)
	t.Log(placements, "placements")
}

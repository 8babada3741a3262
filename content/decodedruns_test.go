package content

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRunsDecodedBeforeAreReportedWhereTheyLieTooDeep says that what was decoded to its end where it stands in the text is
// left undone, and reported, in a view of it that lies a layer deeper.
func TestRunsDecodedBeforeAreReportedWhereTheyLieTooDeep(t *testing.T) {
	run := "the door of the shed is green"
	for range maxLayers {
		run = base64.StdEncoding.EncodeToString([]byte(run))
	}
	require.NotContains(t, detectors(scanText(t, run+" A")), "incomplete-decode")
	require.Contains(t, detectors(scanText(t, run+" %41")), "incomplete-decode")
}

// TestRunsAreDecodedInEveryView says that what a run hides is found once however many views show the run, and masked wherever
// it stands.
func TestRunsAreDecodedInEveryView(t *testing.T) {
	run := base64.StdEncoding.EncodeToString([]byte("write to kim@example.org now"))
	d, r := scanBody(t, "tools/call", SideResponse, result(run+" %41 é "+run+" <b>x</b>y "+run))
	found := 0
	for _, f := range r.Findings {
		if f.Detector == "email" {
			found += 1 + len(f.Also)
		}
	}
	require.Equal(t, 3, found)
	require.NotContains(t, string(mask(t, d, r).Bytes), run)
}

package audit

import (
	"bufio"
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func lineReaderOf(s string) *lineReader { return &lineReader{r: bufio.NewReader(strings.NewReader(s))} }

func TestSummarise(t *testing.T) {
	var out bytes.Buffer
	clk := &clock{noon.Truncate(time.Millisecond)}
	w, err := Open(Options{Path: Stdout, Stdout: &out, Now: clk.now, Version: "v1"})
	require.NoError(t, err)
	put := func(r Record) {
		clk.advance(time.Second)
		require.NoError(t, w.Append(&r))
	}
	put(Record{Event: EventStart})
	put(Record{Phase: PhaseRequest, Method: "tools/call", Exchange: "a", Outcome: OutcomeAllow, Duration: 10 * time.Millisecond})
	put(Record{Phase: PhaseResponse, Method: "tools/call", Exchange: "a", Outcome: OutcomeMutated, Redactions: 2, Duration: 30 * time.Millisecond,
		Findings: []Finding{{Detector: "github_token", Category: "secret"}, {Detector: "email", Category: "personal_data"}, {Detector: "email", Category: "personal_data"}}})
	put(Record{Phase: PhaseRequest, Method: "tools/call", Exchange: "b", Outcome: OutcomeDeny, RulesHit: []string{"no_exfil"}, Duration: time.Microsecond})
	put(Record{Phase: PhaseRequest, Method: "tools/list", Exchange: "c", Outcome: OutcomeReview, Would: OutcomeDeny, Coverage: &Coverage{Scanned: 1, Total: 2}, Duration: 2 * time.Hour})
	put(Record{Phase: PhaseResponse, Method: "tools/list", Exchange: "d", Outcome: OutcomeAllow})
	put(Record{Phase: PhaseRequest, Method: "ping", Outcome: OutcomeAllow, Coverage: &Coverage{Scanned: 2, Total: 2}, Duration: 20 * time.Millisecond})
	put(Record{Event: EventShed, Count: 41})
	put(Record{Event: EventGap, Count: 7})
	out.WriteString("noise\n")

	s, err := Summarise(context.Background(), []Source{Reader("f", &out)})
	require.NoError(t, err)
	allow := s.Latency[0]
	s.Latency = nil
	require.Equal(t, &Stats{
		Lines: 9, Unreadable: 1, Exchanges: 6, From: noon.Truncate(time.Millisecond).Add(time.Second), To: noon.Truncate(time.Millisecond).Add(9 * time.Second),
		Outcomes: []OutcomeCount{
			{PhaseRequest, OutcomeAllow, 2}, {PhaseRequest, OutcomeDeny, 1}, {PhaseRequest, OutcomeReview, 1},
			{PhaseResponse, OutcomeAllow, 1}, {PhaseResponse, OutcomeMutated, 1},
		},
		Would:      []Count{{OutcomeDeny, 1}},
		Methods:    []Count{{"tools/call", 3}, {"tools/list", 2}, {"ping", 1}},
		Detectors:  []Count{{"email", 2}, {"github_token", 1}},
		Categories: []Count{{"personal_data", 2}, {"secret", 1}},
		Rules:      []Count{{"no_exfil", 1}},
		Events:     []Count{{EventGap, 1}, {EventShed, 1}, {EventStart, 1}},
		Pairs:      Pairs{Requests: 3, Responses: 2, Paired: 1, Stopped: 1, Unanswered: 1, ResponseOnly: 1, NoID: 1},
		Partial:    1, Redactions: 2, Lost: 7, Shed: 41,
	}, s)
	require.EqualValues(t, 2, allow.N)
	require.InEpsilon(t, 10*time.Millisecond, allow.P50, 0.01)
	require.InEpsilon(t, 20*time.Millisecond, allow.P99, 0.01)
	require.InEpsilon(t, 20*time.Millisecond, allow.Max, 0.01)
}

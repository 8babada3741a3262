package decision_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/decision"
)

// TestRetryAfterTravels: a caller whose quota or place is missing is told how long to wait, by whoever refused it.
func TestRetryAfterTravels(t *testing.T) {
	v := decision.Aggregate(decision.Input{Shed: true, RetryAfter: 3 * time.Second}, decision.Policy{})
	require.Equal(t, 3*time.Second, v.RetryAfter)

	later := hit("budget", decision.ActionBlock)
	later.RetryAfter = time.Hour
	v = decision.Aggregate(decision.Input{Hits: []decision.Hit{hit("rate", decision.ActionReview), hit("rate", decision.ActionBlock), later}}, decision.Policy{})
	require.Equal(t, time.Hour, v.RetryAfter, "when all of them admit it")
	require.Equal(t, decision.CodeResourceExhausted, v.Code)

	v = decision.Aggregate(decision.Input{Hits: []decision.Hit{later, hit("flow", decision.ActionBlock)}}, decision.Policy{})
	require.Zero(t, v.RetryAfter, "waiting does not help against policy")
}

// TestCauseOfTheVerdict: what decided is named, the rule before the finding, the first of equals, and never a part that
// did not decide.
func TestCauseOfTheVerdict(t *testing.T) {
	named := func(rule string, a decision.Action) decision.Hit {
		h := hit("flow", a)
		h.Rule = rule
		return h
	}
	for name, tc := range map[string]struct {
		in    decision.Input
		p     decision.Policy
		cause string
	}{
		"rule before finding": {in: decision.Input{Findings: []decision.Finding{finding(decision.Block, decision.Secret)}, Hits: []decision.Hit{named("a", decision.ActionBlock)}}, cause: "rule:a"},
		"first rule":          {in: decision.Input{Hits: []decision.Hit{named("a", decision.ActionReview), named("b", decision.ActionBlock), named("c", decision.ActionBlock)}}, cause: "rule:b"},
		"first finding":       {in: decision.Input{Findings: []decision.Finding{finding(decision.Review, decision.Secret), {Scanner: "x", Detector: "y", Severity: decision.Block}, finding(decision.Block, decision.Secret)}}, cause: "x:y"},
		"review by rule":      {in: decision.Input{Findings: []decision.Finding{finding(decision.Review, decision.Secret)}, Hits: []decision.Hit{named("a", decision.ActionReview)}}, cause: "rule:a"},
		"review before fault": {in: decision.Input{Findings: []decision.Finding{finding(decision.Review, decision.Secret)}, Faults: []decision.Fault{fault(decision.FaultTimeout)}}, p: decision.Policy{Failure: decision.FailOpen}, cause: "content:d"},
		"fault":               {in: decision.Input{Faults: []decision.Fault{fault(decision.FaultTimeout), fault(decision.FaultError)}}, p: decision.Policy{Failure: decision.FailOpen}, cause: "model:timeout"},
		"hard fault first":    {in: decision.Input{Faults: []decision.Fault{fault(decision.FaultTimeout), fault(decision.FaultPanic)}, Shed: true}, cause: "model:panic"},
		"redaction":           {in: decision.Input{Mutation: []byte("{}"), Redactions: 1, Removed: 1}, cause: "redaction"},
		"removal":             {in: decision.Input{Mutation: []byte("{}"), Removed: 1}, cause: "removal"},
		"coverage":            {in: decision.Input{Partial: true}, cause: "coverage"},
		"shed":                {in: decision.Input{Shed: true, Malformed: true}, cause: "admission"},
		"nothing":             {},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.cause, decision.Aggregate(tc.in, tc.p).Cause)
		})
	}
}

// TestWhatTravelsWithEveryVerdict: the reference and the score are in every verdict, whatever it is and whatever dry
// run makes of it; what would have happened is never milder than what did, and shadow rules add nothing to a refusal.
func TestWhatTravelsWithEveryVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := decision.Input{
			Ref: "r", Score: rapid.SampledFrom([]float64{0.25, 0.75}).Draw(t, "score"),
			Shed: rapid.Bool().Draw(t, "shed"), Malformed: rapid.Bool().Draw(t, "malformed"), Partial: rapid.Bool().Draw(t, "partial"),
			Mutation: rapid.SampledFrom([][]byte{nil, []byte("{}")}).Draw(t, "mutation"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "hits") {
			in.Hits = append(in.Hits, hit(rapid.SampledFrom([]string{"flow", "rate"}).Draw(t, "kind"),
				rapid.SampledFrom([]decision.Action{decision.ActionShadow, decision.ActionReview, decision.ActionBlock}).Draw(t, "action")))
		}
		for range rapid.IntRange(0, 2).Draw(t, "faults") {
			in.Faults = append(in.Faults, fault(rapid.SampledFrom(decision.FaultKinds()).Draw(t, "fault")))
		}
		p := decision.Policy{
			Failure: rapid.SampledFrom([]decision.FailureMode{decision.FailClosed, decision.FailOpen}).Draw(t, "failure"),
			Review:  rapid.SampledFrom([]decision.ReviewMode{decision.ReviewPass, decision.ReviewDeny}).Draw(t, "review"),
			DryRun:  rapid.Bool().Draw(t, "dry"),
		}
		v := decision.Aggregate(in, p)
		require.Equal(t, "r", v.Ref)
		require.InDelta(t, in.Score, v.Score, 0)
		if v.Denied() {
			require.Equal(t, v.Outcome, v.Would)
		}
		p.DryRun = false
		wet := decision.Aggregate(in, p)
		if v.Outcome != wet.Outcome {
			require.Equal(t, decision.Allow, v.Outcome, "dry run only ever passes")
			require.Equal(t, wet.Outcome, v.Would, "and says what it passed")
			require.Nil(t, v.Body)
		}
	})
}

package decision_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/decision"
)

func finding(s decision.Severity, c decision.Category) decision.Finding {
	return decision.Finding{Scanner: decision.ScannerContent, Detector: "d", Category: c, Severity: s}
}

func fault(k decision.FaultKind) decision.Fault {
	return decision.Fault{Scanner: decision.ScannerModel, Kind: k}
}

func hit(kind string, a decision.Action) decision.Hit {
	return decision.Hit{Rule: "r", Kind: kind, Action: a, Category: decision.ToolFlow, RetryAfter: time.Second}
}

// TestWireTable walks every row of the wire table in both failure modes.
func TestWireTable(t *testing.T) {
	type want struct {
		outcome  decision.Outcome
		code     decision.Code
		category decision.Category
		reason   string
	}
	policy := func(c decision.Category) want {
		return want{decision.Deny, decision.CodePermissionDenied, c, decision.ReasonPolicy}
	}
	quota := want{decision.Deny, decision.CodeResourceExhausted, decision.Rate, decision.ReasonQuota}
	shed := want{decision.Shed, decision.CodeResourceExhausted, decision.Rate, decision.ReasonShed}
	undecided := want{decision.Error, decision.CodeUnknown, decision.Unavailable, decision.ReasonUndecided}
	unavailable := want{decision.Error, decision.CodeUnknown, decision.Unavailable, decision.ReasonUnavailable}
	reviewPass := want{outcome: decision.Flagged}
	invalid := func(c decision.Category) want {
		return want{decision.Invalid, decision.CodeInvalid, c, decision.ReasonInvalid}
	}
	rows := []struct {
		name         string
		in           decision.Input
		closed, open want
	}{
		{"clean", decision.Input{}, want{}, want{}},
		{"detector block", decision.Input{Findings: []decision.Finding{finding(decision.Block, decision.Secret)}}, policy(decision.Secret), policy(decision.Secret)},
		{"flow block", decision.Input{Hits: []decision.Hit{hit("flow", decision.ActionBlock)}}, policy(decision.ToolFlow), policy(decision.ToolFlow)},
		{"rate", decision.Input{Hits: []decision.Hit{hit("rate", decision.ActionBlock)}}, quota, quota},
		{"budget", decision.Input{Hits: []decision.Hit{hit("budget", decision.ActionBlock)}}, quota, quota},
		{"rate beside a policy block", decision.Input{Hits: []decision.Hit{hit("rate", decision.ActionBlock), hit("call", decision.ActionBlock)}}, policy(decision.ToolFlow), policy(decision.ToolFlow)},
		{"shed", decision.Input{Shed: true, RetryAfter: time.Second}, shed, shed},
		{"malformed", decision.Input{Malformed: true}, invalid(decision.MalformedBody), invalid(decision.MalformedBody)},
		{"oversize", decision.Input{Malformed: true, Oversize: true}, invalid(decision.Size), invalid(decision.Size)},
		{"scanner error", decision.Input{Faults: []decision.Fault{fault(decision.FaultError)}}, undecided, reviewPass},
		{"scanner timeout", decision.Input{Faults: []decision.Fault{fault(decision.FaultTimeout)}}, undecided, reviewPass},
		{"queue full", decision.Input{Faults: []decision.Fault{fault(decision.FaultQueueFull)}}, undecided, reviewPass},
		{"model lost", decision.Input{Faults: []decision.Fault{fault(decision.FaultDown)}}, undecided, reviewPass},
		{"rule error", decision.Input{Faults: []decision.Fault{fault(decision.FaultRule)}}, undecided, reviewPass},
		{"cancelled", decision.Input{Faults: []decision.Fault{fault(decision.FaultCancelled)}}, undecided, reviewPass},
		{"not ready", decision.Input{Faults: []decision.Fault{fault(decision.FaultNotReady)}}, unavailable, unavailable},
		{"panic", decision.Input{Faults: []decision.Fault{fault(decision.FaultPanic)}}, unavailable, unavailable},
		{"audit refuses", decision.Input{Faults: []decision.Fault{fault(decision.FaultAudit)}}, unavailable, unavailable},
		{"block beside a fault", decision.Input{
			Faults:   []decision.Fault{fault(decision.FaultTimeout)},
			Findings: []decision.Finding{finding(decision.Block, decision.HiddenText)},
		}, policy(decision.HiddenText), policy(decision.HiddenText)},
		{"partial coverage", decision.Input{Partial: true}, reviewPass, reviewPass},
		{"review finding", decision.Input{Findings: []decision.Finding{finding(decision.Review, decision.Exfiltration)}}, reviewPass, reviewPass},
		{"review rule", decision.Input{Hits: []decision.Hit{hit("flow", decision.ActionReview)}}, reviewPass, reviewPass},
		{"note", decision.Input{Findings: []decision.Finding{finding(decision.Note, decision.PersonalData)}}, want{}, want{}},
	}
	for _, row := range rows {
		for _, mode := range []struct {
			name string
			mode decision.FailureMode
			want want
		}{{"failClosed", decision.FailClosed, row.closed}, {"failOpen", decision.FailOpen, row.open}} {
			t.Run(row.name+"/"+mode.name, func(t *testing.T) {
				in := row.in
				in.Ref = "abc"
				v := decision.Aggregate(in, decision.Policy{Failure: mode.mode})
				require.Equal(t, mode.want.outcome, v.Outcome)
				require.Equal(t, v.Outcome, v.Would)
				require.Equal(t, "abc", v.Ref)
				if mode.want.outcome.Denied() {
					require.Equal(t, mode.want.code, v.Code)
					require.Equal(t, mode.want.category, v.Category)
					require.Equal(t, mode.want.reason+" (ref abc)", v.Reason)
				}
			})
		}
	}
}

func TestReviewDeny(t *testing.T) {
	p := decision.Policy{Review: decision.ReviewDeny}
	for name, in := range map[string]decision.Input{
		"finding":  {Findings: []decision.Finding{finding(decision.Review, decision.PromptInjection)}},
		"rule":     {Hits: []decision.Hit{hit("flow", decision.ActionReview)}},
		"coverage": {Partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := decision.Aggregate(in, p)
			require.Equal(t, decision.Deny, v.Outcome)
			require.Equal(t, decision.CodePermissionDenied, v.Code)
		})
	}
	t.Run("fail open asks for review and review is denied", func(t *testing.T) {
		v := decision.Aggregate(decision.Input{Faults: []decision.Fault{fault(decision.FaultTimeout)}},
			decision.Policy{Failure: decision.FailOpen, Review: decision.ReviewDeny})
		require.Equal(t, decision.Deny, v.Outcome)
	})
}

func TestMutationTravelsWithReview(t *testing.T) {
	in := decision.Input{Mutation: []byte(`{}`), Redactions: 2, Partial: true}
	v := decision.Aggregate(in, decision.Policy{})
	require.Equal(t, decision.Flagged, v.Outcome)
	require.Equal(t, []byte(`{}`), v.Body, "a review must not send the unmasked original")
	require.Equal(t, 2, v.Redactions)
}

func TestDryRun(t *testing.T) {
	dry := decision.Policy{DryRun: true}
	t.Run("a block passes unchanged and says what would have been", func(t *testing.T) {
		v := decision.Aggregate(decision.Input{Findings: []decision.Finding{finding(decision.Block, decision.Secret)}, Mutation: []byte(`{}`)}, dry)
		require.Equal(t, decision.Allow, v.Outcome)
		require.Equal(t, decision.Deny, v.Would)
		require.Nil(t, v.Body)
	})
	t.Run("capacity and hard faults still refuse", func(t *testing.T) {
		require.True(t, decision.Aggregate(decision.Input{Shed: true}, dry).Denied())
		require.True(t, decision.Aggregate(decision.Input{Faults: []decision.Fault{fault(decision.FaultNotReady)}}, dry).Denied())
	})
}

func TestShadowNeverChangesTheVerdict(t *testing.T) {
	v := decision.Aggregate(decision.Input{Hits: []decision.Hit{hit("rate", decision.ActionShadow)}}, decision.Policy{})
	require.Equal(t, decision.Allow, v.Outcome)
	require.Equal(t, decision.Deny, v.Would)
}

// TestAggregateProperties: whatever the input, a block is never passed unless
// dry run, a fault under FailClosed is never passed, and a refusal carries no
// body and always a reason.
func TestAggregateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		severity := rapid.SampledFrom([]decision.Severity{decision.Note, decision.Review, decision.Block})
		action := rapid.SampledFrom([]decision.Action{decision.ActionShadow, decision.ActionReview, decision.ActionBlock})
		kind := rapid.SampledFrom([]string{"call", "flow", "loop", "rate", "budget"})
		in := decision.Input{
			Ref:       "r",
			Malformed: rapid.Bool().Draw(t, "malformed"),
			Shed:      rapid.Bool().Draw(t, "shed"),
			Partial:   rapid.Bool().Draw(t, "partial"),
			Mutation:  rapid.SampledFrom([][]byte{nil, []byte("{}")}).Draw(t, "mutation"),
		}
		var block, undecided bool
		for range rapid.IntRange(0, 3).Draw(t, "findings") {
			f := finding(severity.Draw(t, "severity"), decision.Secret)
			block = block || f.Severity == decision.Block
			in.Findings = append(in.Findings, f)
		}
		for range rapid.IntRange(0, 3).Draw(t, "hits") {
			h := hit(kind.Draw(t, "kind"), action.Draw(t, "action"))
			block = block || h.Action == decision.ActionBlock
			in.Hits = append(in.Hits, h)
		}
		for range rapid.IntRange(0, 2).Draw(t, "faults") {
			in.Faults = append(in.Faults, fault(rapid.SampledFrom(decision.FaultKinds()).Draw(t, "fault")))
			undecided = true
		}
		p := decision.Policy{
			Failure: rapid.SampledFrom([]decision.FailureMode{decision.FailClosed, decision.FailOpen}).Draw(t, "failure"),
			Review:  rapid.SampledFrom([]decision.ReviewMode{decision.ReviewPass, decision.ReviewDeny}).Draw(t, "review"),
		}
		v := decision.Aggregate(in, p)
		if block || in.Malformed || in.Shed || (undecided && p.Failure == decision.FailClosed) {
			require.True(t, v.Denied())
		}
		if v.Denied() {
			require.Nil(t, v.Body)
			require.NotEmpty(t, v.Reason)
			require.NotEmpty(t, v.Category)
		} else {
			require.Equal(t, in.Mutation, v.Body)
			require.Empty(t, v.Reason)
		}
	})
}

func TestPrintedFormsHideContent(t *testing.T) {
	e := &decision.Exchange{Method: "tools/call", Body: []byte("hunter2"), Meta: map[string]any{"k": "hunter2"}}
	v := decision.Verdict{Body: []byte("hunter2")}
	for _, s := range []string{e.String(), e.GoString(), e.LogValue().String(), v.String(), v.GoString(), v.LogValue().String()} {
		require.NotContains(t, s, "hunter2")
	}
}

func TestServiceOfFanOut(t *testing.T) {
	require.Empty(t, (&decision.Exchange{Services: []string{"a", "b"}}).Service())
	require.Equal(t, "a", (&decision.Exchange{Services: []string{"a"}}).Service())
}

package drill

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const sec = time.Second

// row is a drain of two seconds.
var row = Row{Drain: 2 * sec, Grace: 3 * sec, Cleanup: sec, Signals: []time.Duration{0}}

func calls(start time.Duration, results ...Result) []Call {
	out := make([]Call, len(results))
	for i, r := range results {
		out[i] = Call{Start: start, End: start + 10*time.Millisecond, Result: r}
	}
	return out
}

func TestExpectations(t *testing.T) {
	polls := func(states ...string) []Poll {
		out := []Poll{{At: -50 * time.Millisecond, State: serving}}
		for i, s := range states {
			out = append(out, Poll{At: time.Duration(i+1) * 50 * time.Millisecond, State: s})
		}
		return out
	}
	slow := func(start, end time.Duration, r Result) Call { return Call{Start: start, End: end, Result: r} }
	through := []Call{slow(-sec, sec, OK), slow(sec, 3*sec, OK)}
	watches := func(reason string, ended time.Duration) []Watch {
		return []Watch{
			{Name: readyService, Told: polls(notServing), Ended: ended, Reason: reason},
			{Name: unknownService, Told: polls()[:1], Ended: ended, Reason: reason},
		}
	}
	front := []Step{{At: 2 * sec, Name: "front"}}
	for name, c := range map[string]struct {
		expect  Expectation
		outcome Outcome
		held    bool
	}{
		"exit in time":             {exits(0), Outcome{Exit: 6 * sec}, true},
		"exit too late":            {exits(0), Outcome{Exit: 8 * sec}, false},
		"exit with another code":   {exits(0), Outcome{Exit: sec, Code: 1}, false},
		"had to be killed":         {exits(0), Outcome{Exit: sec, Killed: true}, false},
		"not ready at once":        {notReadyAtOnce, Outcome{Polls: polls(notServing, unreachable)}, true},
		"ready once more":          {notReadyAtOnce, Outcome{Polls: polls(notServing, serving)}, false},
		"not reachable at once":    {notReadyAtOnce, Outcome{Polls: polls(unreachable)}, false},
		"nobody polled":            {notReadyAtOnce, Outcome{Polls: polls()}, false},
		"closed at once":           {neverReadyAgain, Outcome{Polls: polls(unreachable)}, true},
		"ready again":              {neverReadyAgain, Outcome{Polls: polls(unreachable, serving)}, false},
		"all served":               {allServed(2), Outcome{Calls: calls(sec, OK, OK)}, true},
		"one refused":              {allServed(2), Outcome{Calls: calls(sec, OK, OK, Refused)}, false},
		"too few":                  {allServed(3), Outcome{Calls: calls(sec, OK, OK)}, false},
		"refused after the drain":  {servedThroughTheDrain(1), Outcome{Calls: append(calls(sec, OK), calls(3*sec, Refused, OK)...)}, true},
		"refused within the drain": {servedThroughTheDrain(1), Outcome{Calls: calls(sec, OK, Refused)}, false},
		"cut off after the drain":  {servedThroughTheDrain(1), Outcome{Calls: append(calls(sec, OK), calls(3*sec, CutOff)...)}, false},
		"refused after the flip":   {refusedAfterTheFlip, Outcome{Calls: calls(sec, OK, Refused)}, true},
		"nothing refused":          {refusedAfterTheFlip, Outcome{Calls: calls(sec, OK)}, false},
		"cut off after the flip":   {refusedAfterTheFlip, Outcome{Calls: calls(sec, Refused, CutOff)}, false},
		"slow ones served":         {slowServed, Outcome{Slow: through, Busy: true}, true},
		"slow ones idle":           {slowServed, Outcome{Slow: through}, false},
		"none at the signal":       {slowServed, Outcome{Slow: through[1:], Busy: true}, false},
		"none at the end":          {slowServed, Outcome{Slow: through[:1], Busy: true}, false},
		"a slow one cut off":       {slowServed, Outcome{Slow: append(calls(sec, CutOff), through...), Busy: true}, false},
		"cut off at the end":       {slowCutOff, Outcome{Slow: calls(-sec, CutOff)}, true},
		"answered at the end":      {slowCutOff, Outcome{Slow: calls(-sec, OK)}, false},
		"streams told":             {streamsTold, Outcome{Watches: watches("Unavailable", 2*sec), Exit: 3 * sec}, true},
		"streams reset":            {streamsTold, Outcome{Watches: watches("Canceled", 2*sec), Exit: 3 * sec}, false},
		"streams after the exit":   {streamsTold, Outcome{Watches: watches("Unavailable", 5*sec), Exit: 3 * sec}, false},
		"no streams":               {streamsTold, Outcome{Exit: 3 * sec}, false},
		"admin to the end":         {adminToTheEnd, Outcome{Steps: front, Exit: 3 * sec, Admin: polls("503", "503")}, true},
		"admin said ready":         {adminToTheEnd, Outcome{Steps: front, Exit: 3 * sec, Admin: polls("503", "200")}, false},
		"admin gone":               {adminToTheEnd, Outcome{Steps: front, Exit: 3 * sec, Admin: polls("503", unreachable)}, false},
		"never serving":            {neverServing, Outcome{Polls: polls(notServing)}, true},
		"serving for a moment":     {neverServing, Outcome{Polls: polls(notServing), WasServing: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.expect(row, &c.outcome)
			require.Equal(t, c.held, got.Held, got.Seen)
			require.NotEmpty(t, got.Promise)
		})
	}
}

func TestLimits(t *testing.T) {
	require.Equal(t, 7*sec, row.limit())
	require.Equal(t, 2*sec, row.drainEnd())
	twice, thrice, warming := row, row, row
	twice.Signals, thrice.Signals, warming.Warming = []time.Duration{0, sec}, []time.Duration{0, sec, 2 * sec}, true
	require.Equal(t, 6*sec, twice.limit())
	require.Equal(t, sec, twice.drainEnd())
	require.Equal(t, 3*sec, thrice.limit())
	require.Equal(t, 2*sec, warming.limit())
}

func TestClassify(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want Result
	}{
		"none":       {nil, OK},
		"no port":    {status.Error(codes.Unavailable, `connection error: desc = "transport: Error while dialing: connection refused"`), Refused},
		"lost":       {status.Error(codes.Unavailable, `connection error: desc = "error reading from server: EOF"`), CutOff},
		"no hello":   {status.Error(codes.Unavailable, `connection error: desc = "error reading server preface: EOF"`), Refused},
		"too late":   {status.Error(codes.DeadlineExceeded, "context deadline exceeded"), CutOff},
		"not gRPC's": {errors.New("broken"), CutOff},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := classify(c.err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestSelect(t *testing.T) {
	all := Matrix(sec, 2)
	got, err := Select(all, "thrice, drain")
	require.NoError(t, err)
	require.Equal(t, "thrice, drain", Names(got))
	got, err = Select(all, "")
	require.NoError(t, err)
	require.Len(t, got, len(all))
	_, err = Select(all, "once")
	require.ErrorContains(t, err, `"once"`)
	for _, r := range all {
		require.Zero(t, r.Signals[0], r.Name)
		require.NotEmpty(t, r.Expect, r.Name)
	}
}

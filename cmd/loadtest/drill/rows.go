package drill

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
)

// Row is one line of the matrix.
type Row struct {
	Name string
	// Story says what happens, for the reader.
	Story string
	Env   sidecar.Env
	// Drain, Grace and Cleanup are the budgets that Env sets.
	Drain, Grace, Cleanup time.Duration
	// Signals are sent at these times; the first is at zero.
	Signals []time.Duration
	// Slow keeps exchanges in flight: heavy ones at the signal and at the end of the
	// drain wait, and one on a slow line that is released so long after the drain wait.
	// With a negative Release it is never released, and there are no heavy ones.
	Slow    bool
	Release time.Duration
	// OneConn sends this many calls a second on one connection through the whole
	// drain wait, instead of one call each 20 ms on a connection of its own.
	OneConn int
	// Restarts makes it a rolling restart of two replicas, so many times, under so many
	// Pairs of a call and its result a second; see RollingRow.
	Restarts, Pairs int
	// Prepare changes the settings before the start, in the folder of the run.
	Prepare func(r *run) error
	// Warming does not wait for SERVING but sends the signal while the model loads.
	Warming bool
	// Before is done when it serves, right before the signal.
	Before func(r *run) error
	Expect []Expectation
}

// limit is when the process must have ended.
func (r Row) limit() time.Duration {
	if r.Warming {
		return r.Cleanup + slack
	}
	last := r.Signals[len(r.Signals)-1]
	switch len(r.Signals) {
	case 1:
		return r.Drain + r.Grace + r.Cleanup + slack
	case 2: // skips the drain wait
		return last + r.Grace + r.Cleanup + slack
	default: // ends at once
		return last + slack
	}
}

// drainEnd is when the drain wait is over.
func (r Row) drainEnd() time.Duration {
	if len(r.Signals) > 1 {
		return min(r.Drain, r.Signals[1])
	}
	return r.Drain
}

const never = -time.Second

// heavyEnv lets one exchange be large enough to be decided for seconds.
var heavyEnv = sidecar.Env{
	"SCAN_MAX_PAYLOAD_BYTES": "192 MiB", "GRPC_MAX_RECV_BYTES": "224 MiB", "MAX_INFLIGHT_BYTES": "1 GiB",
	"SCANNER_TIMEOUT_MS": "60000", "EXCHANGE_TIMEOUT_MS": "60000",
}

// Matrix is every row, in the order of the table. Traffic decides how many calls
// a row must see at least; restarts are those of the rolling one.
func Matrix(traffic time.Duration, restarts int) []Row {
	calls := int(traffic/callEvery) * 4 / 5
	grace, cleanup := 10*time.Second, 2*time.Second
	served := []Expectation{exits(0), notReadyAtOnce, allServed(calls), streamsTold, adminToTheEnd}
	with := func(more ...Expectation) []Expectation { return append(append([]Expectation{}, served...), more...) }
	once := []time.Duration{0}
	drain := traffic + 500*time.Millisecond
	return []Row{
		{
			Name: "drain", Story: fmt.Sprintf("drain wait of %v, slow exchanges in flight", drain),
			Env: heavyEnv, Drain: drain, Grace: grace, Cleanup: cleanup, Signals: once,
			Slow: true, Release: 500 * time.Millisecond, Expect: with(slowServed),
		},
		{
			Name: "no-drain", Story: "drain wait of 0: the table shows why there is one",
			Env: heavyEnv, Grace: grace, Cleanup: cleanup, Signals: once,
			Slow: true, Release: traffic / 2, Expect: []Expectation{exits(0), neverReadyAgain, refusedAfterTheFlip, slowServed, streamsTold, adminToTheEnd},
		},
		{
			Name: "warm-up", Story: "the signal comes while the model loads", Warming: true,
			Drain: time.Minute, Grace: grace, Cleanup: cleanup, Signals: once, Prepare: endlessModel,
			Expect: []Expectation{exits(0), neverServing},
		},
		{
			Name: "twice", Story: "a second signal skips a drain wait of ten minutes",
			Env: heavyEnv, Drain: 10 * time.Minute, Grace: grace, Cleanup: cleanup, Signals: []time.Duration{0, traffic / 2},
			Slow: true, Release: 500 * time.Millisecond, Expect: []Expectation{exits(0), notReadyAtOnce, servedThroughTheDrain(calls / 4), slowServed, streamsTold, adminToTheEnd},
		},
		{
			Name: "thrice", Story: "a third signal ends everything at once, whatever is in flight",
			Env: heavyEnv, Drain: 10 * time.Minute, Grace: 10 * time.Minute, Cleanup: cleanup, Signals: []time.Duration{0, traffic / 2, traffic},
			Slow: true, Release: never, Expect: []Expectation{exits(1), notReadyAtOnce, servedThroughTheDrain(calls / 4), slowCutOff},
		},
		{
			Name: "reload", Story: "the signal comes while a rule pack of 900 rules is compiled",
			Drain: drain, Grace: grace, Cleanup: cleanup, Signals: once, Prepare: smallPack, Before: reloadBigPack,
			Expect: served,
		},
		{
			Name: "deaf-collector", Story: "the telemetry collector accepts and never answers: a clean-up step that hangs",
			Drain: drain, Grace: grace, Cleanup: cleanup, Signals: once, Prepare: deafCollector,
			Expect: served,
		},
		{
			Name: "one-connection", Story: "2 000 calls a second on one connection through the whole drain",
			Env:   sidecar.Env{"MAX_INFLIGHT": "8192"},
			Drain: drain, Grace: grace, Cleanup: cleanup, Signals: once, OneConn: 2000,
			Expect: []Expectation{exits(0), notReadyAtOnce, servedThroughTheDrain(int(2000 * (drain - boundary).Seconds() * 9 / 10)), streamsTold, adminToTheEnd},
		},
		RollingRow(restarts, rollingPairs),
	}
}

// Select picks rows by name; no name picks all.
func Select(rows []Row, names string) ([]Row, error) {
	if names == "" {
		return rows, nil
	}
	var out []Row
	for name := range strings.SplitSeq(names, ",") {
		found := false
		for _, r := range rows {
			if r.Name == strings.TrimSpace(name) {
				out, found = append(out, r), true
			}
		}
		if !found {
			return nil, fmt.Errorf("row %q: want %s", name, Names(rows))
		}
	}
	return out, nil
}

// Names lists the rows.
func Names(rows []Row) string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	return strings.Join(names, ", ")
}

// RollingRestarts are those of the rolling row when nothing else is asked for.
const RollingRestarts = 10

// rollingPairs are its calls, each with its result, a second.
const rollingPairs = 50

const stopSignal = syscall.SIGTERM

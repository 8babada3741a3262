package drill

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Result is what became of one call.
type Result string

// What can become of a call.
const (
	OK      Result = "ok"      // it was decided and passed
	Denied  Result = "denied"  // it was answered with a refusal
	Refused Result = "refused" // no connection: it never reached the sidecar
	CutOff  Result = "cut off" // it had reached the sidecar, and no answer came
)

// Call is one exchange.
type Call struct {
	Name       string
	Start, End time.Duration // since the first stop signal; may be negative
	Result     Result
	Detail     string // of an error
}

// Poll is one look at readiness.
type Poll struct {
	At    time.Duration // when it was asked
	State string        // SERVING, NOT_SERVING, or "unreachable"; for HTTP the status
}

// Watch is one open health stream.
type Watch struct {
	Name   string
	Told   []Poll
	Ended  time.Duration
	Reason string // the code it ended with
}

// Step is one line of the sidecar's log.
type Step struct {
	At   time.Duration
	Took time.Duration
	Name string
}

// Outcome is everything that one row saw. Times count from the first stop signal.
type Outcome struct {
	Calls   []Call
	Slow    []Call
	Polls   []Poll // of gRPC readiness
	Admin   []Poll // of /readyz
	Watches []Watch
	Signals []Step
	Steps   []Step
	// Restarts are those of a rolling restart, Served the calls that its replicas took.
	Restarts []Restart
	Served   [2]int
	Exit     time.Duration
	Code     int
	Killed   bool // it had to be killed
	// Busy tells whether the sidecar was deciding an exchange when the signal came.
	Busy bool
	// WasServing tells whether any poll or stream ever said SERVING.
	WasServing bool
}

// count is how many of calls ended so.
func count(calls []Call, r Result) int {
	n := 0
	for _, c := range calls {
		if c.Result == r {
			n++
		}
	}
	return n
}

// notConnected are grpc-go's words for a connection that was not made: no port, or
// one that closed before the first frame.
var notConnected = []string{"while dialing", "error reading server preface"}

// classify says what an error of a call means. grpc-go reports a call that never
// found a connection, and one that lost it, by the same code; the text tells them
// apart.
func classify(err error) (Result, string) {
	if err == nil {
		return OK, ""
	}
	s := status.Convert(err)
	if s.Code() == codes.Unavailable && slices.ContainsFunc(notConnected, func(w string) bool { return strings.Contains(s.Message(), w) }) {
		return Refused, s.Message()
	}
	return CutOff, s.Code().String() + ": " + s.Message()
}

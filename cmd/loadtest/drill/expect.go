package drill

import (
	"fmt"
	"time"
)

// Check is one promise and whether it held.
type Check struct {
	Promise string
	Held    bool
	Seen    string
}

// Expectation looks at an outcome.
type Expectation func(Row, *Outcome) Check

// slack is what an exit may take beyond its budgets.
const slack = time.Second

// exits expects the exit code, and the exit within the budgets.
func exits(code int) Expectation {
	return func(r Row, o *Outcome) Check {
		limit := r.limit()
		return Check{
			Promise: fmt.Sprintf("exit %d within %v", code, limit),
			Held:    !o.Killed && o.Code == code && o.Exit <= limit,
			Seen:    fmt.Sprintf("exit %d after %v", o.Code, o.Exit.Round(time.Millisecond)),
		}
	}
}

// notReadyAtOnce expects every poll after the signal to say that it is not ready.
func notReadyAtOnce(_ Row, o *Outcome) Check {
	c := Check{Promise: "readiness is NOT_SERVING at the first poll after the signal", Seen: "no poll"}
	for _, p := range o.Polls {
		if p.At < 0 {
			continue
		}
		c.Held, c.Seen = p.State == notServing, fmt.Sprintf("%s at %v", p.State, p.At.Round(time.Millisecond))
		break
	}
	for _, p := range o.Polls {
		if p.At >= 0 && p.State == serving {
			c.Held, c.Seen = false, fmt.Sprintf("SERVING at %v", p.At.Round(time.Millisecond))
			break
		}
	}
	return c
}

// neverReadyAgain expects no poll after the signal to say that it is ready; without
// a drain wait the port may be closed before the first one.
func neverReadyAgain(_ Row, o *Outcome) Check {
	c := Check{Promise: "no poll after the signal says SERVING"}
	after := 0
	for _, p := range o.Polls {
		if p.At < 0 {
			continue
		}
		if after++; p.State == serving {
			c.Seen = fmt.Sprintf("SERVING at %v", p.At.Round(time.Millisecond))
			return c
		}
	}
	c.Held, c.Seen = after > 0, fmt.Sprintf("%d polls", after)
	return c
}

// allServed expects calls, at least so many, all to be ok.
func allServed(least int) Expectation {
	return func(_ Row, o *Outcome) Check {
		return Check{
			Promise: fmt.Sprintf("every call that was started is ok, at least %d", least),
			Held:    len(o.Calls) >= least && count(o.Calls, OK) == len(o.Calls),
			Seen:    tally(o.Calls) + firstError(o.Calls),
		}
	}
}

// boundary is how near to the end of the drain wait a call may be started and
// still be expected to be served: it has to reach the sidecar before that.
const boundary = 250 * time.Millisecond

// servedThroughTheDrain expects all calls that were started before the drain wait
// ended to be ok, and the others to be ok or refused, never cut off.
func servedThroughTheDrain(least int) Expectation {
	return func(r Row, o *Outcome) Check {
		until := r.drainEnd() - boundary
		var within []Call
		for _, c := range o.Calls {
			if c.Start < until {
				within = append(within, c)
			}
		}
		return Check{
			Promise: fmt.Sprintf("all calls started before %v are ok, at least %d; none is cut off", until, least),
			Held:    len(within) >= least && count(within, OK) == len(within) && count(o.Calls, CutOff) == 0 && count(o.Calls, Denied) == 0,
			Seen:    fmt.Sprintf("before: %s; in all: %s%s", tally(within), tally(o.Calls), firstError(o.Calls)),
		}
	}
}

// refusedAfterTheFlip expects that calls are refused, and nothing worse.
func refusedAfterTheFlip(_ Row, o *Outcome) Check {
	return Check{
		Promise: "calls after the flip are refused, none is cut off",
		Held:    count(o.Calls, Refused) > 0 && count(o.Calls, CutOff) == 0 && count(o.Calls, Denied) == 0,
		Seen:    tally(o.Calls) + firstError(o.Calls),
	}
}

// slowServed expects the exchanges in flight to be ok, and to have been in flight:
// at the signal, and at the end of the drain wait.
func slowServed(r Row, o *Outcome) Check {
	c := Check{Promise: "the slow exchanges are ok: in flight at the signal, and at the end of the drain wait", Held: len(o.Slow) > 0, Seen: "none"}
	atSignal, atEnd := false, false
	for i, s := range o.Slow {
		c.Held = c.Held && s.Result == OK
		atSignal = atSignal || s.Start < 0 && s.End > 0
		atEnd = atEnd || s.Start < r.drainEnd() && s.End > r.drainEnd()
		if i == 0 {
			c.Seen = ""
		} else {
			c.Seen += ", "
		}
		c.Seen += fmt.Sprintf("%s: %s at %v", s.Name, s.Result, s.End.Round(time.Millisecond))
	}
	if !o.Busy {
		c.Seen += "; nothing was being decided at the signal"
	}
	c.Held = c.Held && atSignal && atEnd && o.Busy
	return c
}

// slowCutOff expects the exchange that is still in flight at the end to get an
// error, and no answer.
func slowCutOff(_ Row, o *Outcome) Check {
	return Check{
		Promise: "the exchange in flight at the end is cut off, not answered",
		Held:    len(o.Slow) > 0 && count(o.Slow, CutOff) == len(o.Slow),
		Seen:    tally(o.Slow),
	}
}

// streamsTold expects the open health streams to hear of it and to be ended.
func streamsTold(_ Row, o *Outcome) Check {
	c := Check{Promise: "open health streams are told, and ended before the exit", Held: len(o.Watches) > 0}
	for i, w := range o.Watches {
		told := w.Name == unknownService
		for _, p := range w.Told {
			told = told || p.At >= 0 && p.State == notServing
		}
		c.Held = c.Held && told && w.Reason == "Unavailable" && w.Ended <= o.Exit+boundary
		if i > 0 {
			c.Seen += ", "
		}
		c.Seen += fmt.Sprintf("%s ended at %v (%s)", w.Name, w.Ended.Round(time.Millisecond), w.Reason)
	}
	return c
}

// adminToTheEnd expects /readyz to say 503 through the drain and the grace: until
// the front has gone, at least.
func adminToTheEnd(_ Row, o *Outcome) Check {
	front := o.Exit
	for _, s := range o.Steps {
		if s.Name == "front" {
			front = s.At
		}
	}
	c := Check{Promise: "/readyz answers 503 until the front has gone"}
	asked, wrong := 0, ""
	for _, p := range o.Admin {
		if p.At < 0 || p.At > front-boundary {
			continue
		}
		asked++
		if p.State != "503" && wrong == "" {
			wrong = fmt.Sprintf("%s at %v", p.State, p.At.Round(time.Millisecond))
		}
	}
	c.Held, c.Seen = wrong == "" && (asked > 0 || front <= 2*boundary), fmt.Sprintf("%d polls", asked)
	if wrong != "" {
		c.Seen = wrong
	}
	return c
}

// neverServing expects readiness not to have shown at all.
func neverServing(_ Row, o *Outcome) Check {
	return Check{Promise: "it never becomes SERVING", Held: !o.WasServing && len(o.Polls) > 0, Seen: fmt.Sprintf("%d polls", len(o.Polls))}
}

// firstError is what the first call that was cut off was told.
func firstError(calls []Call) string {
	for _, c := range calls {
		if c.Result == CutOff || c.Result == Denied {
			return fmt.Sprintf(" (%s at %v to %v: %s)", c.Name, c.Start.Round(time.Millisecond), c.End.Round(time.Millisecond), c.Detail)
		}
	}
	return ""
}

func tally(calls []Call) string {
	s := fmt.Sprintf("%d ok of %d", count(calls, OK), len(calls))
	for _, r := range []Result{Refused, Denied, CutOff} {
		if n := count(calls, r); n > 0 {
			s += fmt.Sprintf(", %d %s", n, r)
		}
	}
	return s
}

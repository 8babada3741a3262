package actors

import (
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/messages"
)

// raise moves the phase forward to a final one; it never moves it back.
type raise struct {
	to     messages.Phase
	reason string
}

// advanceLifecycle is the whole of the phase logic: what v becomes after event at
// now, and whether anything changed. It does not modify v.
//
// Up to Draining the phase follows from the parts: Warming until all of them have
// been ready at once, then Serving while they are and Degraded while they are not.
// From Draining on the phase is a latch and the parts are only recorded.
func advanceLifecycle(v messages.Lifecycle, event any, now time.Time) (messages.Lifecycle, bool) {
	switch e := event.(type) {
	case messages.Warm:
		// Warming is told even when there is nothing to wait for: the first report
		// enters it, the second one looks at the parts.
		switch v.Phase {
		case messages.Starting:
			return inPhase(v, messages.Warming, "", now), true
		case messages.Warming:
		default:
			return v, false
		}
	case messages.Ready:
		parts, changed := withPart(v.Parts, messages.Part{Name: e.Part, Ready: true, Since: now, Report: e.Report})
		if !changed {
			return v, false
		}
		v.Parts = parts
	case messages.Unready:
		parts, changed := withPart(v.Parts, messages.Part{Name: e.Part, Reason: e.Reason, Since: now, Report: e.Report})
		if !changed {
			return v, false
		}
		v.Parts = parts
	case raise:
		if !e.to.Final() || e.to <= v.Phase {
			return v, false
		}
		if e.to == messages.Draining {
			v.DrainAt = now
		}
		v = inPhase(v, e.to, e.reason, now)
	default:
		return v, false
	}
	return derive(v, now), true
}

// derive sets the phase that follows from the parts.
func derive(v messages.Lifecycle, now time.Time) messages.Lifecycle {
	if v.Phase == messages.Starting || v.Phase.Final() {
		return v
	}
	for _, p := range v.Parts {
		if p.Ready {
			continue
		}
		reason := p.Name + ": " + p.Reason
		if v.Served {
			return inPhase(v, messages.Degraded, reason, now)
		}
		return inPhase(v, messages.Warming, reason, now)
	}
	v.Served = true
	return inPhase(v, messages.Serving, "", now)
}

func inPhase(v messages.Lifecycle, to messages.Phase, reason string, now time.Time) messages.Lifecycle {
	if v.Phase != to {
		v.Since = now
	}
	v.Phase, v.Reason = to, reason
	return v
}

// withPart returns parts with p in the place of its namesake, or at the end. A report that
// a later one has overtaken changes nothing.
func withPart(parts []messages.Part, p messages.Part) ([]messages.Part, bool) {
	i := slices.IndexFunc(parts, func(q messages.Part) bool { return q.Name == p.Name })
	if i < 0 {
		return append(slices.Clone(parts), p), true
	}
	old := parts[i]
	same := old.Ready == p.Ready && old.Reason == p.Reason
	if p.Report < old.Report || same && p.Report == old.Report {
		return parts, false
	}
	if same { // but later: what comes between them is overtaken
		p.Since = old.Since
	}
	parts = slices.Clone(parts)
	parts[i] = p
	return parts, true
}

package rules

import (
	"bufio"
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// traceLine is one line of a trace file: the same words as a pack's tests.
type traceLine struct {
	At        time.Time           `json:"at,omitzero"`
	After     string              `json:"after,omitzero"`
	Repeat    int                 `json:"repeat,omitzero"`
	Key       string              `json:"key,omitzero"`
	Shared    bool                `json:"shared,omitzero"`
	Denied    bool                `json:"denied,omitzero"`
	Service   string              `json:"service,omitzero"`
	Tool      string              `json:"tool,omitzero"`
	Method    string              `json:"method,omitzero"`
	Route     string              `json:"route,omitzero"`
	Principal string              `json:"principal,omitzero"`
	Args      any                 `json:"args,omitzero"`
	Meta      map[string]any      `json:"meta,omitzero"`
	Headers   map[string][]string `json:"headers,omitzero"`
	Result    *traceResult        `json:"result,omitzero"`
}

type traceResult struct {
	Labels []string `json:"labels,omitzero"`
	Data   any      `json:"data,omitzero"`
}

const maxTraceLine = 16 << 20

// Explain replays a trace, one JSON object a line, and writes for every event which rules it concerns, what each of them then
// holds, and what fires. Events are a second apart unless a line says "after" (a duration) or "at" (a time). Values of arguments
// are not repeated in the output. The error names the line that cannot be read; what was before it is explained.
func (s *Set) Explain(w io.Writer, trace io.Reader) (err error) {
	out := bufio.NewWriter(w)
	defer func() {
		if flushErr := out.Flush(); flushErr != nil {
			err = errors.Join(err, fmt.Errorf("explain: %w", flushErr))
		}
	}()
	run := newReplay(s)
	lines := bufio.NewScanner(trace)
	lines.Buffer(make([]byte, 0, 64<<10), maxTraceLine)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		var line traceLine
		if err := json.Unmarshal(text, &line, json.RejectUnknownMembers(true), json.WithUnmarshalers(exactNumbers)); err != nil {
			return fmt.Errorf("explain: line %d: %w", n, lineError(err))
		}
		after, err := line.wait(run.now)
		if err != nil {
			return fmt.Errorf("explain: line %d: %w", n, err)
		}
		if line.Repeat < 0 || line.Repeat > maxTestEvents {
			return fmt.Errorf("explain: line %d: repeat must be from 1 to %d", n, maxTestEvents)
		}
		run.explain(out, n, line, after)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	return nil
}

// lineError names the field that does not fit, and not the Go type it does not fit into.
func lineError(err error) error {
	var unfit *json.SemanticError
	switch {
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &unfit):
		return fmt.Errorf("unknown field %q", unfit.JSONPointer.LastToken())
	case errors.As(err, &unfit) && unfit.JSONPointer == "":
		return errors.New("not an object")
	case errors.As(err, &unfit):
		return fmt.Errorf("field %q has the wrong type", unfit.JSONPointer.LastToken())
	}
	return err
}

// exactNumbers decodes JSON integers as int64, as the engine's parser does.
var exactNumbers = json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*v = i
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	*v = f
	return err
})

func (l *traceLine) wait(now time.Time) (time.Duration, error) {
	if l.After != "" {
		d, err := time.ParseDuration(l.After)
		if err != nil || d < 0 {
			return 0, fmt.Errorf("after %q is not a duration", l.After)
		}
		return d, nil
	}
	if !l.At.IsZero() {
		return max(0, l.At.Sub(now)), nil
	}
	return testGap, nil
}

func (l *traceLine) event() Event {
	ev := Event{Service: l.Service, Tool: l.Tool, Method: l.Method, Route: l.Route, Principal: l.Principal, Args: l.Args, Meta: l.Meta, Headers: l.Headers}
	if ev.Method == "" {
		ev.Method = MethodToolsCall
	}
	if l.Result != nil {
		ev.Result, ev.Labels, ev.Args = true, l.Result.Labels, l.Result.Data
	}
	return ev
}

func (r *replay) explain(w *bufio.Writer, line int, l traceLine, after time.Duration) {
	ev := l.event()
	for range l.Repeat - 1 {
		r.step(ev, l.Key, after, l.Shared, l.Denied)
	}
	out := r.step(ev, l.Key, after, l.Shared, l.Denied)
	fmt.Fprintf(w, "%d: +%s %s", line, duration(r.now.Sub(testEpoch)), describeEvent(&ev))
	if l.Key != "" {
		fmt.Fprintf(w, " key=%s", strconv.Quote(l.Key))
	}
	if l.Shared {
		w.WriteString(" (shared key)")
	}
	if l.Repeat > 1 {
		fmt.Fprintf(w, ", the last of %d", l.Repeat)
	}
	w.WriteByte('\n')
	st := r.state(l.Key)
	st.wake()
	for i := range out.matched.Steps {
		sm := &out.matched.Steps[i]
		rule := r.set.rules[sm.rule]
		fmt.Fprintf(w, "   %s: %s", rule.decl.name, rule.describeMatch(sm))
		if mem, ok := st.find(rule.id); ok {
			fmt.Fprintf(w, "; holds %s", rule.describe(mem, st.last, sm))
		} else if rule.decl.kind == KindFlow {
			w.WriteString("; holds nothing")
		}
		w.WriteByte('\n')
	}
	for _, f := range out.faults {
		fmt.Fprintf(w, "   %s: cannot be evaluated: %s (%s)\n", f.Rule, f.Code.describe(), f.Code)
	}
	for _, h := range out.hits {
		fmt.Fprintf(w, "   FIRES %s (%s)", h.Rule, h.Action)
		if h.RetryAfter > 0 {
			fmt.Fprintf(w, ", retry after %s", duration(h.RetryAfter))
		}
		if h.SharedKey {
			w.WriteString(", a review because the key is shared")
		}
		w.WriteByte('\n')
	}
	if out.denied {
		w.WriteString("   denied: its steps and amounts are withdrawn\n")
	}
}

func describeEvent(ev *Event) string {
	var b strings.Builder
	kind := "call"
	if ev.Result {
		kind = "result of"
	}
	b.WriteString(kind + " ")
	if ev.Service != "" {
		b.WriteString(strconv.Quote(ev.Service) + "/")
	}
	b.WriteString(strconv.Quote(ev.Tool))
	if ev.Method != MethodToolsCall {
		b.WriteString(" (" + strconv.Quote(ev.Method) + ")")
	}
	if ev.Result {
		fmt.Fprintf(&b, " labels=%q", ev.Labels)
	}
	return b.String()
}

// describeMatch says which steps of the rule the event matched.
func (r *rule) describeMatch(sm *StepMatch) string {
	switch r.decl.kind {
	case KindFlow:
		var parts []string
		for i := range r.length {
			if sm.steps&(1<<i) != 0 {
				parts = append(parts, fmt.Sprintf("is step %d of %d", i+1, r.length))
			}
			if sm.guards&(1<<i) != 0 {
				parts = append(parts, fmt.Sprintf("is a guard behind step %d", i+1))
			}
		}
		return strings.Join(parts, ", ")
	case KindBudget:
		return "adds " + plainNumber(sm.amount)
	default:
		return "counts"
	}
}

// describe says what the memory holds after the event.
func (r *rule) describe(mem memory, now tick, sm *StepMatch) string {
	within := duration(r.decl.within)
	switch m := mem.(type) {
	case *flowMemory:
		var parts []string
		for i, start := range m.starts() {
			if m.alive(start, now) {
				parts = append(parts, fmt.Sprintf("step %d, begun %s ago", i+1, duration(time.Duration(now-start)*time.Millisecond)))
			}
		}
		if len(parts) == 0 {
			return "nothing"
		}
		return strings.Join(parts, ", ") + " (within " + within + ")"
	case *loopMemory:
		same := 0
		for _, c := range m.calls {
			if c.hash == sm.hash {
				same++
			}
		}
		if same >= r.decl.threshold-1 { // more are not kept
			return fmt.Sprintf("%d identical calls within %s (the next one fires)", same, within)
		}
		return fmt.Sprintf("%d identical calls within %s (fires from %d on)", same, within, r.decl.threshold)
	case *rateMemory:
		n, _ := m.count(sm.tool)
		return fmt.Sprintf("%d of %s calls within %s", n, plainNumber(r.decl.max), within)
	case *rateWindows:
		for i := range m.counters {
			if m.counters[i].tool == sm.tool {
				return fmt.Sprintf("%s of %s calls within %s", plainNumber(m.counters[i].calls.sum()), plainNumber(r.decl.max), within)
			}
		}
	case *budgetMemory:
		return fmt.Sprintf("%s of %s within %s", plainNumber(m.spent.sum()), plainNumber(r.decl.max), within)
	}
	return "nothing"
}

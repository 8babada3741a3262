package sallyport_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// trail is an audit sink that keeps its records.
type trail struct {
	mu      sync.Mutex
	records []audit.Record
}

func (s *trail) Append(r *audit.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, *r)
	return nil
}

func (*trail) Flush() error { return nil }
func (*trail) Close() error { return nil }

// exchanges are the records of exchanges so far.
func (s *trail) exchanges() []audit.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []audit.Record
	for _, r := range s.records {
		if r.Event == "" {
			out = append(out, r)
		}
	}
	return out
}

// office is an engine and its trail, asked by one caller.
type office struct {
	t     *testing.T
	e     *sallyport.Engine
	trail *trail
	who   func(*sallyport.Exchange)
}

func newOffice(t *testing.T, pack string, change func(*sallyport.Config)) *office {
	o := &office{t: t, trail: &trail{}, who: func(x *sallyport.Exchange) { x.Principal = "alice" }}
	o.e = start(t, func(c *sallyport.Config) {
		c.RulesPath, c.Audit = write(t, "version: 1\n"+pack), o.trail
		if change != nil {
			change(c)
		}
	})
	return o
}

func (o *office) request(tool, args string) sallyport.Verdict {
	x := call("files", `{"name":"`+tool+`","arguments":`+args+`}`)
	o.who(x)
	return o.e.CheckRequest(o.t.Context(), x)
}

func (o *office) response(token, text string) sallyport.Verdict {
	x := call("files", `{"content":[{"type":"text","text":"`+text+`"}]}`)
	o.who(x)
	x.Call = token
	return o.e.CheckResponse(o.t.Context(), x)
}

// last ends the engine, so that its trail is complete, and returns its lines about exchanges.
func (o *office) end() []audit.Record {
	require.NoError(o.t, o.e.Shutdown(o.t.Context()))
	return o.trail.exchanges()
}

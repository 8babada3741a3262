package mesh

import (
	"context"
	"encoding/json/v2"
	"fmt"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// Fate is what became of an exchange.
type Fate string

// Fates. The first three are decisions; the others are not.
const (
	Passed    Fate = "pass"
	Mutated   Fate = "mutated"
	Denied    Fate = "denied"
	Shed      Fate = "shed"      // RESOURCE_EXHAUSTED
	Undecided Fate = "undecided" // UNKNOWN: could not decide in time
)

// decided reports whether an exchange got the answer it came for.
func (f Fate) decided() bool { return f == Passed || f == Mutated || f == Denied }

// sessions is how many callers the exchanges come from: so many that none of them uses
// up what the default rules allow one caller in a minute.
const sessions = 20_000

// exchange is one message, ready to be sent.
type exchange struct {
	request  *extmcp.McpRequest
	response *extmcp.McpResponse
}

// source makes exchanges of a mix of texts.
type source struct {
	texts *traffic.Source
	n     int
}

// newSource makes exchanges of which a share repeats one of the standing texts.
func newSource(repeatShare float64, standing []traffic.Text, seed uint64) *source {
	return &source{texts: traffic.NewStandingSource(traffic.MCP, repeatShare, standing, seed)}
}

// next makes one more: a call, a result or a list of tools.
func (s *source) next() (exchange, error) {
	return s.with(s.texts.Next())
}

// with makes the next exchange with that text.
func (s *source) with(t traffic.Text) (exchange, error) {
	s.n++
	meta, err := structpb.NewStruct(map[string]any{"session": fmt.Sprintf("session-%d", s.n*7919%sessions), "principal": fmt.Sprintf("caller-%d", s.n*7919%sessions)})
	if err != nil {
		return exchange{}, fmt.Errorf("make an exchange: %w", err)
	}
	var body any
	method, response := "tools/call", true
	switch t.Surface {
	case "params":
		response = false
		body = map[string]any{"name": fmt.Sprintf("lookup_%d", s.n%40), "arguments": map[string]any{"query": t.Text, "page": s.n}}
	case "description":
		method = "tools/list"
		body = map[string]any{"tools": []any{map[string]any{"name": "lookup", "description": t.Text, "inputSchema": map[string]any{"type": "object"}}}}
	default:
		body = map[string]any{"content": []any{map[string]any{"type": "text", "text": t.Text}}}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return exchange{}, fmt.Errorf("make an exchange: %w", err)
	}
	if response {
		return exchange{response: &extmcp.McpResponse{ServiceNames: []string{"load"}, Method: method, MetadataContext: meta, McpResponse: raw}}, nil
	}
	return exchange{request: &extmcp.McpRequest{ServiceNames: []string{"load"}, Method: method, MetadataContext: meta, McpRequest: raw}}, nil
}

// many makes n exchanges.
func (s *source) many(n int) ([]exchange, error) {
	out := make([]exchange, n)
	for i := range out {
		var err error
		if out[i], err = s.next(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ask sends the exchange and says what became of it.
func (x exchange) ask(ctx context.Context, client extmcp.ExtMcpClient) Fate {
	if x.response != nil {
		r, err := client.CheckResponse(ctx, x.response)
		return fateOf(r.GetError(), r.GetMutated() != nil, r.GetPass() != nil, err)
	}
	r, err := client.CheckRequest(ctx, x.request)
	return fateOf(r.GetError(), r.GetMutated() != nil, r.GetPass() != nil, err)
}

func fateOf(refused *extmcp.AuthorizationError, mutated, passed bool, err error) Fate {
	switch {
	case err != nil:
		return Fate("error: " + status.Code(err).String())
	case refused != nil:
		switch refused.GetCode() {
		case extmcp.AuthorizationError_RESOURCE_EXHAUSTED:
			return Shed
		case extmcp.AuthorizationError_UNKNOWN:
			return Undecided
		}
		return Denied
	case mutated:
		return Mutated
	case passed:
		return Passed
	}
	return "error: empty reply"
}

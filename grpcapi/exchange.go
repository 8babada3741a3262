package grpcapi

import (
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// The headers that are kept whatever the options say.
const (
	headerSession = "mcp-session-id"
	headerRequest = "x-request-id"
)

// maxID bounds an exchange id, in bytes. A longer one, or one that is not
// printable, is not an id of anybody's logs; the engine mints one instead.
const maxID = 256

// mapper turns wire messages into exchanges.
type mapper struct{ keep map[string]bool }

func newMapper(keep []string) mapper {
	m := mapper{keep: map[string]bool{headerSession: true, headerRequest: true}}
	for _, name := range keep {
		m.keep[strings.ToLower(name)] = true
	}
	return m
}

// request maps a CheckRequest. Absent params and present but empty ones differ.
func (m mapper) request(in *extmcp.McpRequest) *decision.Exchange {
	x := &decision.Exchange{
		Phase: decision.Request, Method: in.GetMethod(), Services: in.GetServiceNames(),
		Body: in.McpRequest, HasBody: in.McpRequest != nil, Headers: m.headers(in.GetHeaders()),
	}
	m.context(x, in.GetMetadataContext())
	if x.ID == "" {
		if v := x.Headers[headerRequest]; len(v) > 0 && plausibleID(v[0]) {
			x.ID = v[0]
		}
	}
	return x
}

// response maps a CheckResponse; the contract has no absent result.
func (m mapper) response(in *extmcp.McpResponse) *decision.Exchange {
	x := &decision.Exchange{
		Phase: decision.Response, Method: in.GetMethod(), Services: in.GetServiceNames(),
		Body: in.GetMcpResponse(), HasBody: true,
	}
	m.context(x, in.GetMetadataContext())
	return x
}

// headers keeps what the configuration names, values in the order received and
// byte for byte. Names are folded, though the gateway sends them in lower case.
func (m mapper) headers(in []*extmcp.McpHeader) map[string][]string {
	var out map[string][]string
	for _, h := range in {
		name := strings.ToLower(h.GetKey())
		if !m.keep[name] {
			continue
		}
		if out == nil {
			out = make(map[string][]string, len(m.keep))
		}
		out[name] = append(out[name], string(h.GetValue()))
	}
	return out
}

// context reads the metadata that the operator configured at the gateway. Our own
// keys count only as strings: a number in place of a principal is no principal,
// and stays visible to rules like any other key.
func (m mapper) context(x *decision.Exchange, md *structpb.Struct) {
	for key, value := range md.GetFields() {
		if text, ok := value.GetKind().(*structpb.Value_StringValue); ok {
			if to := own(x, key); to != nil {
				*to = text.StringValue
				continue
			}
		}
		if x.Meta == nil {
			x.Meta = make(map[string]any, len(md.GetFields()))
		}
		x.Meta[key] = value.AsInterface()
	}
	if !plausibleID(x.ID) {
		x.ID = ""
	}
}

// own returns the field that a key of ours fills, nil for any other key.
func own(x *decision.Exchange, key string) *string {
	switch key {
	case "principal":
		return &x.Principal
	case "session":
		return &x.Session
	case "route":
		return &x.Route
	case "exchange":
		return &x.ID
	case "call":
		return &x.Call
	}
	return nil
}

func plausibleID(id string) bool {
	return len(id) <= maxID && utf8.ValidString(id) &&
		!slices.ContainsFunc([]byte(id), func(b byte) bool { return b < ' ' || b == 0x7f })
}

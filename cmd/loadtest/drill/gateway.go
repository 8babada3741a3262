package drill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// gateway calls replicas the way the gateway does, whose habits decide whether a
// restart loses a call: HTTP/2 without TLS on one connection a replica, a new one
// after GOAWAY, each call once and to the next replica of its list, no deadline
// sent and no health checking of its own. What was not yet written when a
// connection turned out dead is written to a new one; nothing that was written is
// sent again.
type gateway struct {
	http *http.Client

	mu   sync.Mutex // the list changes under the callers
	list []string
	next int
}

// errNobody is a call when the list of replicas is empty.
var errNobody = errors.New("no replica is on the list")

func newGateway() *gateway {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &gateway{http: &http.Client{Transport: &http.Transport{Protocols: protocols, DisableCompression: true}}}
}

func (g *gateway) close() { g.http.CloseIdleConnections() }

// route replaces the list.
func (g *gateway) route(list []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = list
}

// pick is the next replica in turn.
func (g *gateway) pick() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.list) == 0 {
		return "", errNobody
	}
	g.next++
	return g.list[g.next%len(g.list)], nil
}

// request asks about a call and returns the token that its result brings back.
func (g *gateway) request(ctx context.Context, n int) (replica, token string, err error) {
	if replica, err = g.pick(); err != nil {
		return "", "", err
	}
	var out extmcp.McpRequestResult
	err = g.call(ctx, replica, extmcp.ExtMcp_CheckRequest_FullMethodName, &extmcp.McpRequest{
		ServiceNames: []string{"drill"}, Method: "tools/call",
		McpRequest: fmt.Appendf(nil, `{"name":"lookup","arguments":{"number":%d}}`, n),
	}, &out)
	if err == nil && out.GetPass() == nil {
		err = denied{out.GetError().GetReason()}
	}
	return replica, out.GetMetadata().GetFields()["call"].GetStringValue(), err
}

// response asks about the result of a call, of any replica: the list may have
// changed.
func (g *gateway) response(ctx context.Context, n int, token string) (replica string, err error) {
	if replica, err = g.pick(); err != nil {
		return "", err
	}
	var out extmcp.McpResponseResult
	err = g.call(ctx, replica, extmcp.ExtMcp_CheckResponse_FullMethodName, &extmcp.McpResponse{
		ServiceNames: []string{"drill"}, Method: "tools/call",
		MetadataContext: &structpb.Struct{Fields: map[string]*structpb.Value{"call": structpb.NewStringValue(token)}},
		McpResponse:     fmt.Appendf(nil, `{"content":[{"type":"text","text":"Number %d is free. The office is open from nine to five."}]}`, n),
	}, &out)
	if err == nil && out.GetPass() == nil {
		err = denied{out.GetError().GetReason()}
	}
	return replica, err
}

// denied is an answer that is no pass.
type denied struct{ reason string }

func (d denied) Error() string { return "denied: " + d.reason }

// call makes one unary gRPC call over plain HTTP/2, by hand: the client of grpc-go
// would send again what the gateway would not.
func (g *gateway) call(ctx context.Context, replica, method string, in, out proto.Message) error {
	message, err := proto.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode the call: %w", err)
	}
	body := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	// A reader of no known kind: what was read from it cannot be read again.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+replica+method, io.MultiReader(bytes.NewReader(append(body, message...))))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/grpc")
	req.Header.Set("Te", "trailers")
	r, err := g.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }() // it was read to its end
	reply, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	status := r.Trailer.Get("Grpc-Status")
	if status == "" {
		status = r.Header.Get("Grpc-Status")
	}
	if r.StatusCode != http.StatusOK || status != "0" {
		return fmt.Errorf("HTTP %d, gRPC status %q: %s", r.StatusCode, status, r.Trailer.Get("Grpc-Message"))
	}
	const prefix = 5 // compressed or not, and the length
	if len(reply) < prefix || reply[0] != 0 {
		return fmt.Errorf("the reply has %d bytes and no message", len(reply))
	}
	return proto.Unmarshal(reply[prefix:], out)
}

// gatewayResult says what an error of a gateway's call means.
func gatewayResult(err error) (Result, string) {
	var no denied
	var op *net.OpError
	switch {
	case err == nil:
		return OK, ""
	case errors.As(err, &no):
		return Denied, no.reason
	case errors.Is(err, errNobody), errors.As(err, &op) && op.Op == "dial":
		return Refused, err.Error()
	}
	return CutOff, err.Error()
}

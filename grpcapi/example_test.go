package grpcapi_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// guard stands in for the engine: it lets nobody near secrets.
type guard struct{}

func (guard) CheckRequest(_ context.Context, x *decision.Exchange) decision.Verdict {
	in := decision.Input{Ref: "4vh0c2"}
	if x.Service() == "vault" {
		in.Hits = []decision.Hit{{Rule: "no-vault", Kind: "acl", Action: decision.ActionBlock, Category: decision.ToolPolicy}}
	}
	return decision.Aggregate(in, decision.Policy{})
}

func (guard) CheckResponse(context.Context, *decision.Exchange) decision.Verdict {
	return decision.Aggregate(decision.Input{Ref: "4vh0c3"}, decision.Policy{})
}

// A server listens at once, answers probes with NOT_SERVING until it is told
// otherwise, and drains without cutting off a call.
func Example() {
	server, err := grpcapi.New(guard{}, grpcapi.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		panic(err)
	}
	if err := server.Listen(); err != nil {
		panic(err)
	}
	done := make(chan error)
	go func() { done <- server.Serve() }()
	server.SetServing(true)

	// What a gateway does.
	conn, err := grpc.NewClient(server.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	reply, err := extmcp.NewExtMcpClient(conn).CheckRequest(context.Background(), &extmcp.McpRequest{
		ServiceNames: []string{"vault"}, Method: "tools/call", McpRequest: []byte(`{"name":"read"}`),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(reply.GetError().GetCode(), reply.GetError().GetReason())
	fmt.Println(string(reply.GetError().GetMcpError()))
	conn.Close()

	fmt.Println(server.Drain(context.Background()), <-done)
	// Output:
	// PERMISSION_DENIED blocked by policy (ref 4vh0c2)
	// {"ref":"4vh0c2","phase":"request","category":"tool_policy"}
	// <nil> <nil>
}

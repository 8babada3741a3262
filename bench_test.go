package sallyport_test

import (
	"bytes"
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/grpcapi"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

var benignCall = []byte(`{"name":"search_issues","arguments":{"query":"is:open label:bug sort:updated","repository":"sallyport","page":2,"per_page":50}}`)

func benchEngine(b *testing.B) *sallyport.Engine {
	cfg := sallyport.DefaultConfig()
	cfg.Drain = 0
	e, err := sallyport.New(cfg)
	require.NoError(b, err)
	require.NoError(b, e.Start(context.Background()))
	b.Cleanup(func() { require.NoError(b, e.Shutdown(context.Background())) })
	e.AwaitServing(context.Background())
	return e
}

// BenchmarkCheckRequest is one benign call through the engine without a model and
// with the default rule pack.
func BenchmarkCheckRequest(b *testing.B) {
	e := benchEngine(b)
	ctx := context.Background()
	x := &sallyport.Exchange{Method: "tools/call", Services: []string{"github"}, HasBody: true, Body: benignCall}
	b.ReportAllocs()
	for b.Loop() {
		if v := e.CheckRequest(ctx, x); v.Denied() {
			b.Fatal(v)
		}
	}
}

// BenchmarkCheckResponse64K is a 64 KiB result of prose through the engine without
// a model.
func BenchmarkCheckResponse64K(b *testing.B) {
	e := benchEngine(b)
	ctx := context.Background()
	text := bytes.Repeat([]byte("The committee met on Tuesday and agreed on the budget for the next year. "), 64<<10/73)
	body := append(append([]byte(`{"content":[{"type":"text","text":"`), text...), `"}]}`...)
	x := &sallyport.Exchange{Method: "tools/call", Services: []string{"files"}, HasBody: true, Body: body}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if v := e.CheckResponse(ctx, x); v.Denied() {
			b.Fatal(v)
		}
	}
}

// echo answers everything with a pass: what the wire alone costs.
type echo struct {
	extmcp.UnimplementedExtMcpServer
}

func (echo) CheckRequest(context.Context, *extmcp.McpRequest) (*extmcp.McpRequestResult, error) {
	return &extmcp.McpRequestResult{Result: &extmcp.McpRequestResult_Pass{Pass: &extmcp.Pass{}}}, nil
}

// BenchmarkOverGRPC is the same call over a loopback connection, beside a bare
// server that passes everything.
func BenchmarkOverGRPC(b *testing.B) {
	in := &extmcp.McpRequest{ServiceNames: []string{"github"}, Method: "tools/call", McpRequest: benignCall}
	ask := func(b *testing.B, addr string) {
		conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(b, err)
		defer conn.Close()
		client := extmcp.NewExtMcpClient(conn)
		b.ReportAllocs()
		for b.Loop() {
			r, err := client.CheckRequest(context.Background(), in)
			if err != nil || r.GetPass() == nil {
				b.Fatal(err, r)
			}
		}
	}
	b.Run("engine", func(b *testing.B) {
		e := benchEngine(b)
		s, err := grpcapi.New(e, grpcapi.Options{Addr: "127.0.0.1:0"})
		require.NoError(b, err)
		require.NoError(b, s.Listen())
		go func() { _ = s.Serve() }()
		defer s.Stop()
		ask(b, s.Addr().String())
	})
	b.Run("bare", func(b *testing.B) {
		lis, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(b, err)
		s := grpc.NewServer()
		extmcp.RegisterExtMcpServer(s, echo{})
		go func() { _ = s.Serve(lis) }()
		defer s.Stop()
		ask(b, lis.Addr().String())
	})
}

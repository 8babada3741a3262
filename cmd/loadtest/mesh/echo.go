package mesh

import (
	"context"
	"fmt"
	"io"
	"net"

	"google.golang.org/grpc"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// echo passes everything.
type echo struct {
	extmcp.UnimplementedExtMcpServer
}

// CheckRequest passes.
func (echo) CheckRequest(context.Context, *extmcp.McpRequest) (*extmcp.McpRequestResult, error) {
	return &extmcp.McpRequestResult{Result: &extmcp.McpRequestResult_Pass{Pass: &extmcp.Pass{}}}, nil
}

// CheckResponse passes.
func (echo) CheckResponse(context.Context, *extmcp.McpResponse) (*extmcp.McpResponseResult, error) {
	return &extmcp.McpResponseResult{Result: &extmcp.McpResponseResult_Pass{Pass: &extmcp.Pass{}}}, nil
}

// Echo serves on a free port of this machine, which it writes to out, until ctx
// ends.
func Echo(ctx context.Context, out io.Writer) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := grpc.NewServer()
	extmcp.RegisterExtMcpServer(s, echo{})
	defer context.AfterFunc(ctx, s.Stop)()
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return err
	}
	return s.Serve(l)
}

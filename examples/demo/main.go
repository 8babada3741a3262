// Demo starts a real sidecar, sends it sample MCP exchanges the way a gateway
// does, and prints what it answered. It exits 1 when a verdict is not the
// expected one.
package main

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

func main() {
	binary := flag.String("sallyport", "bin/sallyport", "path of the sidecar to start")
	flag.Parse()
	if err := run(*binary); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(binary string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	addr, stop, err := startSidecar(ctx, binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	began := time.Now()
	if err := waitServing(ctx, conn); err != nil {
		return err
	}
	fmt.Printf("sidecar on %s was serving after %d ms\n\n", addr, time.Since(began).Milliseconds())

	client := extmcp.NewExtMcpClient(conn)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GATE\tMETHOD\tWHAT WAS SENT\tVERDICT\tWHY\tTIME")
	wrong := 0
	for _, x := range exchanges {
		began := time.Now()
		a, err := ask(ctx, client, x)
		if err != nil {
			return fmt.Errorf("%s: %w", x.what, err)
		}
		took := time.Since(began)
		gate := "request"
		if x.response {
			gate = "response"
		}
		mark := ""
		if complaint := a.check(x); complaint != "" {
			wrong++
			mark = "  <-- " + complaint
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%.1f ms%s\n", gate, x.method, x.what, a.verdict, a.why, float64(took.Microseconds())/1000, mark)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d verdicts are not the expected ones", wrong, len(exchanges))
	}
	fmt.Printf("\nall %d verdicts are as expected\n", len(exchanges))
	return nil
}

// answer is a verdict in words.
type answer struct {
	verdict, why string
	body         string
}

func (a answer) check(x exchange) string {
	switch {
	case a.verdict != x.want:
		return "expected " + x.want
	case x.hides != "" && strings.Contains(a.body, x.hides):
		return "what should be hidden is still there"
	case x.shows != "" && !strings.Contains(a.body, x.shows):
		return fmt.Sprintf("%s is missing", x.shows)
	}
	return ""
}

func ask(ctx context.Context, client extmcp.ExtMcpClient, x exchange) (answer, error) {
	if x.response {
		r, err := client.CheckResponse(ctx, x.reply())
		if err != nil {
			return answer{}, err
		}
		return explain(r.GetError(), r.GetMutated(), r.GetPass() != nil), nil
	}
	r, err := client.CheckRequest(ctx, x.request())
	if err != nil {
		return answer{}, err
	}
	return explain(r.GetError(), r.GetMutated(), r.GetPass() != nil), nil
}

func explain(refused *extmcp.AuthorizationError, mutated []byte, pass bool) answer {
	switch {
	case refused != nil:
		var data struct {
			Category string `json:"category"`
		}
		_ = json.Unmarshal(refused.GetMcpError(), &data) // a reply without it still has its code
		return answer{verdict: refused.GetCode().String(), why: data.Category}
	case mutated != nil:
		return answer{verdict: "mutated", why: changes(mutated), body: string(mutated)}
	case pass:
		return answer{verdict: "pass"}
	}
	return answer{verdict: "no result set"}
}

// changes says in a few words what was done to a body.
func changes(mutated []byte) string {
	if n := strings.Count(string(mutated), "[REDACTED:"); n > 0 {
		return fmt.Sprintf("%d masked", n)
	}
	var list struct {
		Tools []jsontext.Value `json:"tools"`
	}
	if json.Unmarshal(mutated, &list) == nil && list.Tools != nil {
		return fmt.Sprintf("%d tool left", len(list.Tools))
	}
	return ""
}

// startSidecar runs the binary on free ports with its logs in a file, and
// returns its address and a function that stops it the way an orchestrator does.
func startSidecar(ctx context.Context, binary string) (addr string, stop func() error, err error) {
	addr, err = freeAddr()
	if err != nil {
		return "", nil, err
	}
	admin, err := freeAddr()
	if err != nil {
		return "", nil, err
	}
	logs, err := os.CreateTemp("", "sallyport-demo-*.log")
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, binary, "serve")
	cmd.Env = append(os.Environ(), "LISTEN_ADDR="+addr, "ADMIN_ADDR="+admin, "AUDIT_LOG_PATH="+os.DevNull, "SHUTDOWN_DRAIN_S=0", "DENY_TOOLS=repo/delete_*")
	cmd.Stdout, cmd.Stderr = logs, logs
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("start %s: %w", binary, err)
	}
	return addr, func() error {
		defer logs.Close() //nolint:errcheck // the sidecar wrote it, not we
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return fmt.Errorf("sidecar had already gone: %w (its log: %s)", err, logs.Name())
		}
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("sidecar: %w (its log: %s)", err, logs.Name())
		}
		return os.Remove(logs.Name())
	}, nil
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// waitServing follows the health of the sidecar until it is ready.
func waitServing(ctx context.Context, conn *grpc.ClientConn) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	watch, err := healthpb.NewHealthClient(conn).Watch(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return fmt.Errorf("wait for the sidecar: %w", err)
	}
	for {
		r, err := watch.Recv()
		if err != nil {
			return fmt.Errorf("wait for the sidecar: %w", err)
		}
		if r.GetStatus() == healthpb.HealthCheckResponse_SERVING {
			return nil
		}
	}
}

//go:build chaos

package chaos

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// lines are the connections of the gateway.
type lines struct {
	addr string
	mu   sync.Mutex // callers take lines while others cut them
	all  []*line
	rnd  *rand.Rand
}

// line is one connection.
type line struct {
	conn *grpc.ClientConn
	mcp  extmcp.ExtMcpClient
	cut  atomic.Bool
}

const lineCount = 4

func dialLines(addr string, seed uint64) *lines {
	ls := &lines{addr: addr, rnd: rand.New(rand.NewPCG(seed, streamLine))}
	for range lineCount {
		ls.all = append(ls.all, dial(addr))
	}
	return ls
}

func dial(addr string) *line {
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err) // the address is a listener's
	}
	return &line{conn: conn, mcp: extmcp.NewExtMcpClient(conn)}
}

func (ls *lines) take() *line {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.all[ls.rnd.IntN(len(ls.all))]
}

// disconnect closes a line under whoever uses it, and dials another.
func (ls *lines) disconnect() {
	ls.mu.Lock()
	i := ls.rnd.IntN(len(ls.all))
	old := ls.all[i]
	ls.all[i] = dial(ls.addr)
	ls.mu.Unlock()
	old.cut.Store(true)
	_ = old.conn.Close()
}

func (ls *lines) close() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.all {
		l.cut.Store(true)
		_ = l.conn.Close()
	}
}

// rawCodec sends bytes as they are.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// nuisances are what a client that is no gateway may send first.
var nuisances = []string{
	"",
	"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00\xff\xff\xff\x01\x25\x00\x00\x00\x01\x82",
	"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	"\x00\xff\x00\xff\x00\xff\x00\xff",
}

// pester opens a connection, sends one of the nuisances, keeps it for d and closes
// it.
func (ls *lines) pester(ctx context.Context, n int, d time.Duration) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", ls.addr)
	if err != nil {
		return // it is closing
	}
	defer c.Close()
	if _, err := c.Write([]byte(nuisances[n])); err != nil {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

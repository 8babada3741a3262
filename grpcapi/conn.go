package grpcapi

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// listener bounds the connections of a listener and knows which of them have not
// finished their handshake.
//
// The mutex guards a set that changes once per connection, not per call.
type listener struct {
	net.Listener
	most, reserve int
	refused       func()

	mu    sync.Mutex
	conns map[*conn]struct{}
	calls int // connections that are not probes'
}

func newListener(l net.Listener, most, reserve int, refused func()) *listener {
	return &listener{Listener: l, most: most, reserve: reserve, refused: refused, conns: map[*conn]struct{}{}}
}

// Accept returns the next connection within the bounds; beyond them connections
// are closed at once, so that the client knows, instead of being left waiting.
func (l *listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.admit(raw); c != nil {
			return c, nil
		}
		raw.Close()
		l.refused()
	}
}

func (l *listener) admit(raw net.Conn) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) >= l.most+l.reserve {
		return nil
	}
	c := &conn{Conn: raw, home: l, probe: l.calls >= l.most}
	if !c.probe {
		l.calls++
	}
	l.conns[c] = struct{}{}
	return c
}

func (l *listener) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.conns[c]; !ok {
		return
	}
	delete(l.conns, c)
	if !c.probe {
		l.calls--
	}
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns)
}

// closePending closes the connections that are not HTTP/2 yet.
func (l *listener) closePending() {
	l.mu.Lock()
	var pending []*conn
	for c := range l.conns {
		if !c.established.Load() {
			pending = append(pending, c)
		}
	}
	l.mu.Unlock()
	for _, c := range pending {
		_ = c.Close() // it goes either way
	}
}

// conn is one accepted connection.
type conn struct {
	net.Conn
	home        *listener
	probe       bool
	established atomic.Bool
}

// connAddr tells a handler which kind of connection its call came over.
type connAddr struct {
	net.Addr
	probe bool
}

func (c *conn) RemoteAddr() net.Addr { return connAddr{c.Conn.RemoteAddr(), c.probe} }

// SetDeadline is how grpc-go says that the handshake is over: it sets a deadline
// when it begins and takes it away when it has ended.
func (c *conn) SetDeadline(t time.Time) error {
	if t.IsZero() {
		c.established.Store(true)
	}
	return c.Conn.SetDeadline(t)
}

func (c *conn) Close() error {
	c.home.remove(c)
	return c.Conn.Close()
}

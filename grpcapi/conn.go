package grpcapi

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
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
	stuck         func(error) // told of every Accept that fails; nil for nobody

	accepting atomic.Bool   // Accept has been called
	pausing   atomic.Bool   // pause has been called
	paused    chan struct{} // closed when Accept returns no more connections
	closed    chan struct{}
	closeOnce sync.Once

	mu    sync.Mutex
	conns map[*conn]struct{}
	calls int // connections that are not probes'
}

func newListener(l net.Listener, most, reserve int, refused func()) *listener {
	return &listener{
		Listener: l, most: most, reserve: reserve, refused: refused, conns: map[*conn]struct{}{},
		paused: make(chan struct{}), closed: make(chan struct{}),
	}
}

// Accept returns the next connection within the bounds; beyond them connections
// are closed at once, so that the client knows, instead of being left waiting.
func (l *listener) Accept() (net.Conn, error) {
	l.accepting.Store(true)
	for {
		raw, err := l.Listener.Accept()
		if err != nil && l.pausing.Load() && errors.Is(err, os.ErrDeadlineExceeded) {
			close(l.paused) // grpc-go accepts from one goroutine, which stays here
			<-l.closed
			return nil, net.ErrClosed
		}
		if err != nil {
			if l.stuck != nil && !errors.Is(err, net.ErrClosed) {
				l.stuck(err) // grpc-go tries again and says nothing
			}
			if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
				l.makeRoom()
			}
			return nil, err
		}
		c, instead := l.admit(raw)
		if instead != nil {
			_ = instead.Close() // it goes either way
			l.refused()
		}
		if c != nil {
			return c, nil
		}
		raw.Close()
		l.refused()
	}
}

// pause accepts no further connection and waits until the server has begun with
// every one that was accepted, at most for the time given. A server that is told to
// stop before that closes them, and their clients see a connection that broke. What
// is not accepted yet stays with the socket, for whoever else holds it.
func (l *listener) pause(limit time.Duration) {
	socket, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	if !ok || !l.accepting.Load() || l.pausing.Swap(true) || socket.SetDeadline(time.Unix(1, 0)) != nil {
		return
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-l.paused:
	case <-l.closed:
		return
	case <-late.C:
		return
	}
	for _, c := range l.all() {
		select {
		case <-c.begun:
		case <-late.C:
			return
		}
	}
}

// Close frees the address and ends an Accept.
func (l *listener) Close() error {
	l.closeOnce.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

func (l *listener) all() []*conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	conns := make([]*conn, 0, len(l.conns))
	for c := range l.conns {
		conns = append(conns, c)
	}
	return conns
}

// admit gives raw a place, or nil where there is none. Where places run out, the
// connection that has been shaking hands for longest gives up its own, for the caller to
// close: who connects and then says nothing must not keep out those who do. A call's place
// is taken only from one that is slow, so that a crowd of clients who all mean it does not
// push out itself; when the reserve is used up, too, any place from any.
func (l *listener) admit(raw net.Conn) (c, instead *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	full := len(l.conns) >= l.most+l.reserve
	if full || l.calls >= l.most {
		if oldest := l.oldestPending(); oldest != nil && (full || !oldest.probe && now.Sub(oldest.since) >= slowHandshake) {
			instead = oldest
			l.drop(oldest)
		} else if full {
			return nil, nil
		}
	}
	c = &conn{Conn: raw, home: l, since: now, probe: l.calls >= l.most, begun: make(chan struct{})}
	if !c.probe {
		l.calls++
	}
	l.conns[c] = struct{}{}
	return c, instead
}

// makeRoom closes a connection that is still shaking hands, so that the process, which may
// open no more files, can take another.
func (l *listener) makeRoom() {
	l.mu.Lock()
	c := l.oldestPending()
	l.mu.Unlock()
	if c != nil {
		_ = c.Close() // it goes either way
		l.refused()
	}
}

// oldestPending is the connection that has been shaking hands for longest, one that
// holds a call's place before those of the reserve; nil for none.
func (l *listener) oldestPending() *conn {
	var oldest *conn
	for c := range l.conns {
		switch {
		case c.established.Load():
		case oldest == nil, oldest.probe && !c.probe, oldest.probe == c.probe && c.since.Before(oldest.since):
			oldest = c
		}
	}
	return oldest
}

func (l *listener) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(c)
}

func (l *listener) drop(c *conn) {
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
	for _, c := range l.all() {
		if !c.established.Load() {
			_ = c.Close() // it goes either way
		}
	}
}

// conn is one accepted connection.
type conn struct {
	net.Conn
	home        *listener
	since       time.Time // accepted
	probe       bool
	established atomic.Bool
	begun       chan struct{} // closed when the server begins with the handshake
	beginOnce   sync.Once
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
	c.begin()
	if t.IsZero() {
		c.established.Store(true)
	}
	return c.Conn.SetDeadline(t)
}

func (c *conn) begin() { c.beginOnce.Do(func() { close(c.begun) }) }

func (c *conn) Close() error {
	c.begin()
	c.home.remove(c)
	return c.Conn.Close()
}

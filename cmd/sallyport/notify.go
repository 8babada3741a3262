package main

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/grpcapi"
)

// notifier tells systemd where the sidecar stands, by the protocol of sd_notify.
// Without a NOTIFY_SOCKET it says nothing.
//
// READY=1 is said when calls are being taken: at the first SERVING, or when an
// inherited listener is no longer held back for it. A model that cannot be proved
// is therefore an active unit whose status says why, and not a failed start.
type notifier struct {
	log   *zap.Logger
	send  func(state string) error
	lines chan string
	done  chan struct{}
	ready sync.Once
	hold  *time.Timer
	final atomic.Bool // STOPPING=1 was said
	last  atomic.Pointer[string]
}

// notifyQueue is how many notifications may wait for systemd. Phases change rarely;
// what does not fit is dropped, for a subscriber must never wait.
const notifyQueue = 32

func newNotifier(log *zap.Logger) *notifier {
	return startNotifier(log, grpcapi.HoldTime, func(state string) error {
		_, err := daemon.SdNotify(false, state)
		return err
	})
}

// startNotifier passes on to send what is said until close.
func startNotifier(log *zap.Logger, hold time.Duration, send func(string) error) *notifier {
	n := &notifier{log: log, send: send, lines: make(chan string, notifyQueue), done: make(chan struct{})}
	n.hold = time.AfterFunc(hold, n.sayReady)
	go n.run()
	return n
}

func (n *notifier) run() {
	failing := false
	for {
		select {
		case <-n.done:
			return
		case state := <-n.lines:
			err := n.send(state)
			if err != nil && !failing { // the watchdog would repeat it every second
				n.log.Warn("systemd is not told", zap.Error(err))
			}
			failing = err != nil
		}
	}
}

// close ends the telling. It must be called once.
func (n *notifier) close() {
	n.hold.Stop()
	close(n.done)
}

func (n *notifier) say(state string) {
	select {
	case n.lines <- state:
	default:
	}
}

func (n *notifier) sayReady() { n.ready.Do(func() { n.say(daemon.SdNotifyReady) }) }

// status is the line that systemctl status shows.
func (n *notifier) status(p sallyport.LifecyclePhase, reason string) {
	text := "STATUS=" + p.String()
	if reason != "" {
		text += ": " + strings.ReplaceAll(reason, "\n", " ") // a line is an assignment
	}
	if last := n.last.Swap(&text); last == nil || *last != text {
		n.say(text)
	}
}

// phase passes on where the engine stands. It never waits.
func (n *notifier) phase(c sallyport.PhaseChange) {
	n.status(c.To, c.Reason)
	switch {
	case c.To.Ready():
		n.sayReady()
	case c.To.Final():
		n.hold.Stop()
		if !n.final.Swap(true) {
			n.say(daemon.SdNotifyStopping)
		}
	}
}

// reloading says that a reload has begun; what it returns says that it is over.
func (n *notifier) reloading() (over func()) {
	n.say(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
	return func() {
		if !n.final.Load() {
			n.say(daemon.SdNotifyReady)
		}
	}
}

// alive feeds systemd's watchdog, where the unit has one, and keeps the status
// current: a reason can change within a phase.
func (n *notifier) alive(now sallyport.Status) {
	n.status(now.Phase, now.Reason)
	n.say(daemon.SdNotifyWatchdog)
}

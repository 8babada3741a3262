// Package early catches the signals that reach a process before main does.
//
// A program's packages are set up before main runs, which for the whole sidecar
// takes some 30 ms; a stop signal in that time would end the process by signal, and
// a reload signal with it. This package imports next to nothing and is therefore set
// up first. It owns the list of signals the sidecar answers, and answers none: the
// serve command takes them over with [Signals], every other command gives them back
// to the system with [Release].
package early

import (
	"os"
	"os/signal"
)

// kept is how many signals wait for somebody to read them; further ones are lost,
// as the system loses those of one kind that come in a row.
const kept = 8

// caught is a variable and not a function's work so that it is there before main.
// Nothing above the standard library may be imported here: what this package waits
// for, a signal does not.
var caught = notify(make(chan os.Signal, kept))

func notify(c chan os.Signal) chan os.Signal {
	signal.Notify(c, answered...)
	return c
}

// Signals hands over SIGTERM, SIGINT, SIGHUP and [Reopen], those that came since the
// process began first. Whoever calls it answers all of them until stop is called,
// which gives them back to the system.
func Signals() (signals <-chan os.Signal, stop func()) {
	return notify(caught), func() { signal.Stop(caught) }
}

// Release gives the signals back to the system, which ends the process on each of
// them, and does so at once if one has come already.
func Release() {
	signal.Stop(caught)
	for {
		select {
		case s := <-caught:
			again(s)
		default:
			return
		}
	}
}

// again sends the process a signal that it took from itself.
func again(s os.Signal) {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Signal(s) // a process may always signal itself
	}
}

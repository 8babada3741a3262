// Package drill proves from outside how the sidecar stops: it starts the real
// binary, keeps exchanges in flight, sends signals, goes on calling on new
// connections, polls readiness, and holds what it saw against what is promised.
//
// It owns the rows of the matrix and what each expects. It reads nothing of the
// sidecar but its ports, its exit code and its log. The command "loadtest drain"
// calls it.
package drill

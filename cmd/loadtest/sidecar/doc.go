// Package sidecar runs the real binary for a load test: on loopback ports that are
// free, with its log in a folder of its own, and bounded in time.
//
// It starts, signals and stops only processes of its own. The drill and the load
// test of the whole sidecar call it.
package sidecar

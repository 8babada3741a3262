// Package traffic makes the load: texts of the lengths that MCP traffic has, and
// the moments at which they arrive.
//
// Everything is a pure function of a seed, so a run can be repeated; nothing here
// reads a clock, a file or the network. The load tests call it.
package traffic

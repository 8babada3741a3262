// Package report is the one reporter: every tool that measures or checks something fills a Report and writes it as aligned plain
// text for a terminal, as JSON for a program, or as one HTML page with inline SVG charts that needs nothing else to be read.
//
// A Report is data. Rendering is deterministic: the same Report gives the same bytes, so reports can be compared and kept. Text
// that came from outside may be put into it as it is: control characters never reach a terminal and markup never reaches a page.
//
// The package measures nothing, reads no clock and knows nothing of the product. cmd's tools are its callers.
package report

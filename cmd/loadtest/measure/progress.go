package measure

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// Progress tells a person what is being done. On a terminal it is one line that is
// written over, elsewhere one line a step.
type Progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	open     bool
}

// NewProgress writes to f; nil is silent.
func NewProgress(f *os.File) *Progress {
	if f == nil {
		return &Progress{out: io.Discard}
	}
	info, err := f.Stat()
	return &Progress{out: f, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// Step says what comes next.
func (p *Progress) Step(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", text)
		p.open = true
		return
	}
	fmt.Fprintln(p.out, text)
}

// Done ends the line.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.open = false
	}
}

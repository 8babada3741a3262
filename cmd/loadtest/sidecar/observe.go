package sidecar

import (
	"bufio"
	"context"
	"encoding/json/v2"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Line is one line of the sidecar's log.
type Line struct {
	At     time.Time `json:"ts"`
	Level  string    `json:"level"`
	Msg    string    `json:"msg"`
	Step   string    `json:"step"`
	To     string    `json:"to"`
	Signal string    `json:"signal"`
	Took   Span      `json:"took"`
}

// Span is a duration as the log writes it: "1.5s".
type Span struct{ time.Duration }

// UnmarshalText reads it.
func (s *Span) UnmarshalText(text []byte) (err error) {
	s.Duration, err = time.ParseDuration(string(text))
	return err
}

// Lines are the lines of the log so far that are JSON.
func (p *Process) Lines() ([]Line, error) {
	data, err := os.ReadFile(p.logFile())
	if err != nil {
		return nil, err
	}
	var out []Line
	for line := range strings.Lines(string(data)) {
		var l Line
		// A line that is half written, or of the runtime, is no line of the log.
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg != "" {
			out = append(out, l)
		}
	}
	return out, nil
}

// httpLimit bounds one request to the admin listener.
const httpLimit = 2 * time.Second

var client = &http.Client{Timeout: httpLimit, Transport: &http.Transport{DisableKeepAlives: true}}

// Get asks the admin listener on a connection of its own and returns the status.
func Get(ctx context.Context, admin, path string) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+path, nil)
	if err != nil {
		return 0, nil, err
	}
	r, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = r.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	return r.StatusCode, body, err
}

// Metrics are all samples of the sidecar, by name with labels, as /metrics writes
// them.
func Metrics(ctx context.Context, admin string) (map[string]float64, error) {
	code, body, err := Get(ctx, admin, "/metrics")
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	if code != http.StatusOK {
		return nil, fmt.Errorf("read metrics: status %d", code)
	}
	return parseMetrics(string(body)), nil
}

func parseMetrics(text string) map[string]float64 {
	out := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			continue
		}
		if v, err := strconv.ParseFloat(line[at+1:], 64); err == nil {
			out[line[:at]] = v
		}
	}
	return out
}

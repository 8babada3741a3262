package main

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/config"
)

// scanOptions are the flags of scan.
type scanOptions struct {
	method, service string
	phase           string
	text            bool
	asJSON          bool
}

func scanCommand() *cobra.Command {
	var o scanOptions
	cmd := &cobra.Command{
		Use:   "scan [FILE]",
		Short: "Say what would be found in a message, and the verdict; no server needed",
		Long: `Scan reads one MCP message from FILE, or from standard input, and prints what
the guardrail finds in it and the verdict. The message is a JSON-RPC request or
response, the params or the result alone, or plain text, which is taken as the
text of a tool result. The messages of a batch are given one by one. Exit code 3 means that it would be refused.

The settings are those of serve.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := phaseFault(o.phase); err != nil {
				return err
			}
			in, err := readInput("scan", cmd.InOrStdin(), args)
			if err != nil {
				return failed(err)
			}
			if o.plain(in) && !utf8.Valid(in) {
				return failed(fmt.Errorf("scan %s: it is neither JSON nor UTF-8 text", inputName(args)))
			}
			if err := o.batchFault(in); err != nil {
				return failed(fmt.Errorf("scan %s: %w", inputName(args), err))
			}
			settings, err := config.Load(config.Sources{Flags: cmd.Flags()})
			if err != nil {
				return failed(err)
			}
			return scan(cmd.Context(), cmd.OutOrStdout(), settings, o, in)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.method, "method", "tools/call", "MCP method of a params or result object without an envelope")
	f.StringVar(&o.service, "service", "", "upstream service, for rules that name one")
	f.StringVar(&o.phase, "phase", "", `"request" or "response"; what the message says, and else response`)
	f.BoolVar(&o.text, "text", false, "take the input as plain text even if it looks like JSON")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	engineFlags(f)
	return cmd
}

// phaseFault refuses a --phase that is none; an empty one leaves it to the message.
func phaseFault(phase string) error {
	switch phase {
	case "", "request", "response":
		return nil
	}
	return fmt.Errorf("--phase %q: want request or response", phase)
}

// engineFlags adds those settings' flags that matter without a server.
func engineFlags(f *pflag.FlagSet) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.Flags(all)
	for _, name := range []string{"config", "model", "invariant-rules-path"} {
		f.AddFlag(all.Lookup(name))
	}
}

// maxInput bounds what scan and check read, in bytes: the largest payload that can be
// configured, so that oversize gets the same answer as from the server.
const maxInput = 256 << 20

// inputName is what errors call the input.
func inputName(args []string) string {
	if len(args) == 1 && args[0] != standardInput {
		return args[0]
	}
	return "standard input"
}

// readInput reads the file among args, or standard input; command is the one that asks,
// for errors.
func readInput(command string, stdin io.Reader, args []string) ([]byte, error) {
	r, name := stdin, inputName(args)
	if len(args) == 1 && args[0] != standardInput {
		file, err := os.Open(args[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		defer file.Close() //nolint:errcheck // it was only read
		r = file
	}
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", command, name, err)
	case len(data) > maxInput:
		return nil, fmt.Errorf("%s %s: more than %d MiB", command, name, maxInput>>20)
	case len(data) == 0:
		return nil, fmt.Errorf("%s %s: it is empty", command, name)
	}
	return data, nil
}

// recorder is an audit sink that keeps the lines of exchanges.
type recorder struct{ lines []*audit.Record }

func (r *recorder) Append(rec *audit.Record) error {
	if rec.Event == "" {
		r.lines = append(r.lines, rec)
	}
	return nil
}
func (r *recorder) Flush() error { return nil }
func (r *recorder) Close() error { return nil }

// warmUpLimit is how long scan waits for the model to be loaded and proved.
const warmUpLimit = time.Minute

func scan(ctx context.Context, out io.Writer, settings *config.Settings, o scanOptions, in []byte) error {
	cfg := engineConfig(settings)
	cfg.Drain, cfg.PinsFile = 0, ""
	trail := &recorder{}
	cfg.Audit = trail
	engine, err := sallyport.New(cfg)
	if err != nil {
		return failed(err)
	}
	if err := engine.Start(ctx); err != nil {
		return failed(err)
	}
	if err := warmUp(ctx, engine); err != nil {
		return failed(errors.Join(err, engine.Shutdown(ctx)))
	}
	x, request := o.exchange(in)
	if o.phase != "" && request != (o.phase == "request") {
		return failed(errors.Join(fmt.Errorf("scan: the message is no %s", o.phase), engine.Shutdown(ctx)))
	}
	var v sallyport.Verdict
	if request {
		x.Phase = decision.Request
		v = engine.CheckRequest(ctx, x)
	} else {
		x.Phase = decision.Response
		v = engine.CheckResponse(ctx, x)
	}
	if err := engine.Shutdown(ctx); err != nil {
		return failed(err)
	}
	return o.print(out, x, v, trail.lines)
}

// warmUp waits until the engine serves. A model that cannot be loaded is an error
// at once: a server would try again, a person wants to know.
func warmUp(ctx context.Context, engine *sallyport.Engine) error {
	ctx, cancel := context.WithTimeout(ctx, warmUpLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for engine.Phase() != sallyport.Serving {
		if err := engine.ModelError(); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("scan: the engine is still %s after %v: %s", engine.Phase(), warmUpLimit, engine.Status().Reason)
		}
	}
	return nil
}

// exchange makes an exchange of the input, and says whether it is a request.
func (o scanOptions) exchange(in []byte) (x *sallyport.Exchange, request bool) {
	x = &sallyport.Exchange{Method: o.method, Body: in, HasBody: true}
	if o.service != "" {
		x.Services = []string{o.service}
	}
	if o.plain(in) {
		x.Method = "tools/call"
		x.Body, _ = json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": string(in)}}})
		return x, false
	}
	// Something that does not decode is shown to the engine as it is: refusing it
	// with the reason is the engine's job.
	if m, ok := messageOf(in); ok {
		if m.Result != nil {
			x.Body = m.Result
			return x, false
		}
		x.Method, x.Body, x.HasBody = *m.Method, m.Params, m.Params != nil
		return x, true
	}
	return x, o.phase == "request"
}

// message is a JSON-RPC message as a file may hold one.
type message struct {
	JSONRPC jsontext.Value `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  *string        `json:"method"`
	Params  jsontext.Value `json:"params"`
	Result  jsontext.Value `json:"result"`
}

// messageOf reads a request or a result. What has members that are none of JSON-RPC's is
// a body in which something is called method or result: it is read whole.
func messageOf(in []byte) (m message, ok bool) {
	err := json.Unmarshal(in, &m, json.RejectUnknownMembers(true))
	return m, err == nil && (m.Method != nil || m.Result != nil)
}

// errBatch is the error of an array of JSON-RPC messages: a gateway asks about each of
// them, and one verdict on all of them, read as a result, would be about none.
var errBatch = errors.New("it is a JSON-RPC batch; give its messages one by one, or say with --phase what the array is")

// batchFault refuses a batch where nobody has said how to take it.
func (o scanOptions) batchFault(in []byte) error {
	if !o.text && o.phase == "" && batch(in) {
		return errBatch
	}
	return nil
}

// batch reports whether the input is an array of nothing but JSON-RPC messages.
func batch(in []byte) bool {
	var elements []map[string]jsontext.Value
	if json.Unmarshal(in, &elements) != nil || len(elements) == 0 {
		return false
	}
	for _, e := range elements {
		if _, ok := e["jsonrpc"]; !ok {
			return false
		}
	}
	return true
}

// plain reports whether the input is taken as plain text.
func (o scanOptions) plain(in []byte) bool { return o.text || !looksLikeJSON(in) }

func looksLikeJSON(in []byte) bool {
	for _, c := range in {
		switch c {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			return true
		default:
			return false
		}
	}
	return false
}

// scanFinding is one finding, without the text it is about.
type scanFinding struct {
	Severity string `json:"severity"`
	Detector string `json:"detector"`
	Category string `json:"category"`
	Path     string `json:"path"`
	View     string `json:"view,omitzero"`
	Length   int    `json:"length"`
}

// scanReport is the JSON form of a scan.
type scanReport struct {
	Phase      string        `json:"phase"` // how the input was read
	Method     string        `json:"method"`
	Verdict    string        `json:"verdict"`
	Category   string        `json:"category,omitempty"`
	Cause      string        `json:"cause,omitempty"`
	Score      *float64      `json:"score,omitzero"` // null when the model read nothing
	Redactions int           `json:"redactions"`
	Findings   []scanFinding `json:"findings"`
	Rules      []string      `json:"rules_hit,omitempty"`
	Body       string        `json:"mutated,omitempty"`
}

func (o scanOptions) print(out io.Writer, x *sallyport.Exchange, v sallyport.Verdict, lines []*audit.Record) error {
	r := scanReport{
		Phase: x.Phase.String(), Method: x.Method,
		Verdict: v.Outcome.String(), Category: string(v.Category), Cause: v.Cause,
		Redactions: v.Redactions + v.Removed, Body: string(v.Body), Findings: []scanFinding{},
	}
	for _, l := range lines {
		r.Rules = append(r.Rules, l.RulesHit...)
		for _, f := range l.Findings {
			r.Findings = append(r.Findings, scanFinding{f.Severity, f.Detector, f.Category, f.Path, f.View, f.FP.Length})
		}
		if l.Model != "" {
			r.Score = &v.Score
		}
	}
	var err error
	if o.asJSON {
		err = writeJSON(out, r)
	} else {
		err = r.text(out)
	}
	if err != nil {
		return failed(err)
	}
	if v.Denied() {
		return &exitError{code: exitDenied}
	}
	return nil
}

func (r scanReport) text(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "read as\t%s of %q\n", r.Phase, visible(r.Method))
	fmt.Fprintf(w, "verdict\t%s\n", r.Verdict)
	if r.Cause != "" {
		fmt.Fprintf(w, "because\t%s\n", visible(r.Cause))
	}
	if r.Category != "" {
		fmt.Fprintf(w, "category\t%s\n", r.Category)
	}
	if r.Score == nil {
		fmt.Fprintln(w, "model score\tnot read")
	} else {
		fmt.Fprintf(w, "model score\t%.4f\n", *r.Score)
	}
	for _, rule := range r.Rules {
		fmt.Fprintf(w, "rule\t%s\n", visible(rule))
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(w, "\nSEVERITY\tDETECTOR\tCATEGORY\tWHERE\tVIEW\tLENGTH")
		for _, f := range r.Findings {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\n", f.Severity, visible(f.Detector), f.Category, visible(f.Path), f.View, f.Length)
		}
	}
	if r.Body != "" {
		fmt.Fprintf(w, "\n%d masked or removed; what would be sent instead:\n", r.Redactions)
	}
	if err := w.Flush(); err != nil || r.Body == "" {
		return err
	}
	_, err := fmt.Fprintln(out, strings.TrimRight(visible(r.Body, '\n', '\t', '\r'), "\n")) // a tab in it is no column
	return err
}

package main

import (
	"bytes"
	"context"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// checkOptions are the flags of check.
type checkOptions struct {
	addr, ca, cert, key string
	timeout             time.Duration

	phase, method string
	services      []string
	headers, meta []string
	text, absent  bool
	asJSON        bool
}

func checkCommand() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Ask a running sidecar about one message, as a gateway would, and print its verdict",
		Long: `Check reads one MCP message from FILE, or from standard input, asks a running
sidecar about it as a gateway would, and prints the verdict. The message is a
JSON-RPC request or response, the params or the result alone, or plain text,
which is taken as the text of a tool result.

The sidecar counts the exchange like any other: rules remember it and the audit
trail has a line of it.

  echo '{"name":"fetch","arguments":{"url":"https://example.com"}}' |
    sallyport check --phase request --service web --meta principal=kim

Exit code 0: it may pass, as it is or changed. 3: it is refused. 1: there was no
verdict.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := o.question(cmd.InOrStdin(), args)
			if err != nil {
				return err
			}
			return check(cmd.Context(), cmd.OutOrStdout(), o, q)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", probeAddr(os.Getenv("LISTEN_ADDR"), defaultListen), "address of the sidecar: host:port or unix:/path")
	f.StringVar(&o.ca, "ca", "", "PEM file of the authority of the sidecar's certificate; switches TLS on")
	f.StringVar(&o.cert, "cert", "", "PEM file of a client certificate, for mTLS")
	f.StringVar(&o.key, "key", "", "PEM file of its key")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "how long to wait for the verdict")
	f.StringVar(&o.phase, "phase", "", `"request" or "response"; what the message says, and else response`)
	f.StringVar(&o.method, "method", "tools/call", "MCP method of a params or result object without an envelope")
	f.StringArrayVar(&o.services, "service", nil, "upstream service; several for a call that is fanned out")
	f.StringArrayVar(&o.headers, "header", nil, `HTTP header of the client as "name: value"; requests only`)
	f.StringArrayVar(&o.meta, "meta", nil, `metadata of the gateway as name=text or name:=JSON, for example principal=kim or call=TOKEN`)
	f.BoolVar(&o.text, "text", false, "take the input as plain text even if it looks like JSON")
	f.BoolVar(&o.absent, "no-params", false, "ask about a request without params; nothing is read")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	return cmd
}

// question is what the sidecar is asked.
type question struct {
	request  bool
	method   string
	body     []byte
	hasBody  bool
	meta     *structpb.Struct
	headers  []*extmcp.McpHeader
	services []string
}

// question makes one of the flags and the input. What is wrong with the flags is a
// usage error, what is wrong with the input is not.
func (o checkOptions) question(stdin io.Reader, args []string) (q question, err error) {
	if err := phaseFault(o.phase); err != nil {
		return q, err
	}
	if err := clientFault(o.ca, o.cert, o.key); err != nil {
		return q, err
	}
	if o.absent && (o.phase == "response" || o.text || len(args) > 0) {
		return q, errors.New("--no-params is about a request and takes no message")
	}
	q = question{method: o.method, services: o.services}
	if q.headers, err = parseHeaders(o.headers); err != nil {
		return q, err
	}
	if q.meta, err = parseMeta(o.meta); err != nil {
		return q, err
	}
	if o.absent {
		q.request = true
		return q, nil
	}
	in, err := readInput("check", stdin, args)
	if err != nil {
		return q, failed(err)
	}
	if o.phase == "request" && !o.text && !looksLikeJSON(in) {
		// Not a message at all; what the sidecar says to that may be what is asked.
		q.request, q.body, q.hasBody = true, in, true
		return q, nil
	}
	read := scanOptions{method: o.method, phase: o.phase, text: o.text}
	if err := read.batchFault(in); err != nil {
		return q, failed(fmt.Errorf("check %s: %w", inputName(args), err))
	}
	x, request := read.exchange(in)
	q.method, q.body, q.hasBody, q.request = x.Method, x.Body, x.HasBody, request
	if o.phase != "" && request != (o.phase == "request") {
		return q, failed(fmt.Errorf("check: the message is no %s", o.phase))
	}
	if !q.request && len(q.headers) > 0 {
		return q, errors.New("--header: a response has no headers")
	}
	return q, nil
}

func parseHeaders(lines []string) ([]*extmcp.McpHeader, error) {
	var out []*extmcp.McpHeader
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || name == "" || strings.ContainsAny(name, " \t\r\n") {
			// The value may be a credential: it is not repeated.
			return nil, fmt.Errorf(`--header: want "name: value"`)
		}
		out = append(out, &extmcp.McpHeader{Key: name, Value: []byte(strings.TrimSpace(value))})
	}
	return out, nil
}

func parseMeta(pairs []string) (*structpb.Struct, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	fields := map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" || name == ":" {
			return nil, errors.New("--meta: want name=text or name:=JSON")
		}
		plain, isJSON := strings.CutSuffix(name, ":")
		if _, again := fields[plain]; again {
			return nil, fmt.Errorf("--meta: %q is given twice", plain)
		}
		fields[plain] = value
		if isJSON {
			var v any
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				return nil, fmt.Errorf("--meta: the value of %q is not JSON", plain)
			}
			fields[plain] = v
		}
	}
	return structpb.NewStruct(fields)
}

// checkReport is a verdict as it came over the wire.
type checkReport struct {
	Verdict    string  `json:"verdict"`
	Code       string  `json:"code,omitempty"`
	Reason     string  `json:"reason,omitempty"`
	Category   string  `json:"category,omitempty"`
	Ref        string  `json:"ref,omitempty"`
	RetryAfter int64   `json:"retry_after_ms,omitzero"`
	Score      float64 `json:"score,omitzero"`
	Call       string  `json:"call,omitempty"`
	Body       string  `json:"mutated,omitempty"`
	TookUS     int64   `json:"took_us"`
	denied     bool
}

func check(ctx context.Context, out io.Writer, o checkOptions, q question) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	creds, err := clientCredentials(o.ca, o.cert, o.key)
	if err != nil {
		return failed(fmt.Errorf("check: %w", err))
	}
	conn, err := grpc.NewClient(o.addr, grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(maxInput+1<<20), grpc.MaxCallRecvMsgSize(maxInput+1<<20)))
	if err != nil {
		return failed(fmt.Errorf("check at %s: %w", o.addr, err))
	}
	defer conn.Close()
	began := time.Now()
	r, err := q.ask(ctx, extmcp.NewExtMcpClient(conn))
	if err != nil {
		if _, ok := status.FromError(err); ok { // not a reply that lacks a result
			err = errors.New(callError(err, o.ca))
		}
		return failed(fmt.Errorf("check at %s: no verdict: %w", o.addr, err))
	}
	r.TookUS = time.Since(began).Microseconds()
	if err := r.print(out, o.asJSON); err != nil {
		return failed(err)
	}
	if r.denied {
		return &exitError{code: exitDenied}
	}
	return nil
}

// ask returns what the sidecar says. A reply without a result is an error: a
// gateway would have to guess.
func (q question) ask(ctx context.Context, client extmcp.ExtMcpClient) (r checkReport, err error) {
	var refused *extmcp.AuthorizationError
	var mutated []byte
	var passed bool
	if q.request {
		m := &extmcp.McpRequest{ServiceNames: q.services, Method: q.method, MetadataContext: q.meta, Headers: q.headers}
		if q.hasBody {
			m.McpRequest = q.body
			if m.McpRequest == nil {
				m.McpRequest = []byte{}
			}
		}
		reply, err := client.CheckRequest(ctx, m)
		if err != nil {
			return r, err
		}
		refused, mutated, passed = reply.GetError(), reply.GetMutated(), reply.GetPass() != nil
		said := reply.GetMetadata().GetFields()
		guardrail := said["guardrail"].GetStructValue().GetFields()
		r.Verdict, r.Ref = guardrail["outcome"].GetStringValue(), guardrail["ref"].GetStringValue()
		r.Score, r.Call = guardrail["score"].GetNumberValue(), said["call"].GetStringValue()
	} else {
		reply, err := client.CheckResponse(ctx, &extmcp.McpResponse{
			ServiceNames: q.services, Method: q.method, MetadataContext: q.meta, McpResponse: q.body,
		})
		if err != nil {
			return r, err
		}
		refused, mutated, passed = reply.GetError(), reply.GetMutated(), reply.GetPass() != nil
	}
	switch {
	case refused != nil:
		r.refusal(refused)
	case mutated != nil:
		r.Body = string(mutated)
		r.Verdict = decision.Mutated.String()
	case !passed:
		return r, errors.New("the reply has no result")
	case r.Verdict == "":
		// The reply to a response says no more than that; a review is in the audit
		// trail of the sidecar.
		r.Verdict = decision.Allow.String()
	}
	return r, nil
}

// refusal takes over why the message is refused.
func (r *checkReport) refusal(e *extmcp.AuthorizationError) {
	r.denied = true
	r.Verdict, r.Code, r.Reason = decision.Deny.String(), e.GetCode().String(), e.GetReason()
	switch e.GetCode() {
	case extmcp.AuthorizationError_INVALID:
		r.Verdict = decision.Invalid.String()
	case extmcp.AuthorizationError_UNKNOWN:
		r.Verdict = decision.Error.String()
	}
	var data struct {
		Ref        string `json:"ref"`
		Category   string `json:"category"`
		RetryAfter int64  `json:"retry_after_ms"`
	}
	// Another server may say nothing, or something else, there.
	if json.Unmarshal(bytes.TrimSpace(e.GetMcpError()), &data) == nil {
		r.Ref, r.Category, r.RetryAfter = data.Ref, data.Category, data.RetryAfter
	}
}

func (r checkReport) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(out, r)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, line := range [...]struct{ name, value string }{
		{"verdict", r.Verdict}, {"code", r.Code}, {"reason", r.Reason}, {"category", r.Category}, {"ref", r.Ref}, {"call", r.Call},
	} {
		if line.value != "" {
			fmt.Fprintf(w, "%s\t%s\n", line.name, visible(line.value))
		}
	}
	if r.RetryAfter > 0 {
		fmt.Fprintf(w, "retry after\t%s\n", time.Duration(r.RetryAfter)*time.Millisecond)
	}
	if r.Score > 0 {
		fmt.Fprintf(w, "score\t%.4f\n", r.Score)
	}
	fmt.Fprintf(w, "took\t%s\n", time.Duration(r.TookUS)*time.Microsecond)
	if err := w.Flush(); err != nil || r.Body == "" {
		return err
	}
	_, err := fmt.Fprintf(out, "\nwhat would be sent instead:\n%s\n", visible(r.Body, '\n', '\t', '\r')) // a tab in it is no column
	return err
}

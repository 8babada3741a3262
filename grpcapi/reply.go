package grpcapi

import (
	"bytes"
	"encoding/json/jsontext"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
	"github.com/sallyport-mcp/sallyport/internal/token"
)

// defaultRetry is what a caller whose quota is used up is told to wait when
// nobody knows better.
const defaultRetry = time.Second

// requestReply maps the verdict on a request. The result is always set.
func requestReply(x *decision.Exchange, v decision.Verdict) *extmcp.McpRequestResult {
	v = sane(x, v)
	if v.Denied() {
		return &extmcp.McpRequestResult{Result: &extmcp.McpRequestResult_Error{Error: denial(x.Phase, v)}}
	}
	out := &extmcp.McpRequestResult{Metadata: metadata(v)}
	// The gateway ignores a mutation where it sent no params.
	if v.Body != nil && x.HasBody {
		out.Result = &extmcp.McpRequestResult_Mutated{Mutated: v.Body}
	} else {
		out.Result = &extmcp.McpRequestResult_Pass{Pass: &extmcp.Pass{}}
	}
	return out
}

// responseReply maps the verdict on a response. The result is always set.
func responseReply(x *decision.Exchange, v decision.Verdict) *extmcp.McpResponseResult {
	v = sane(x, v)
	switch {
	case v.Denied():
		return &extmcp.McpResponseResult{Result: &extmcp.McpResponseResult_Error{Error: denial(x.Phase, v)}}
	case v.Body != nil:
		return &extmcp.McpResponseResult{Result: &extmcp.McpResponseResult_Mutated{Mutated: v.Body}}
	default:
		return &extmcp.McpResponseResult{Result: &extmcp.McpResponseResult_Pass{Pass: &extmcp.Pass{}}}
	}
}

// sane replaces a verdict that the gateway would not understand, and so pass when
// it fails open, by a denial: an outcome we do not know, a mutation without a body,
// an empty one, or one of params that is no JSON object. A result may be any JSON value.
func sane(x *decision.Exchange, v decision.Verdict) decision.Verdict {
	known := int(v.Outcome) < len(decision.Outcomes())
	if known && (v.Denied() || sendable(x.Phase, v)) {
		return v
	}
	return unavailable(v.Ref)
}

// sendable is whether the body of a verdict that refuses nothing can go out.
func sendable(phase decision.Phase, v decision.Verdict) bool {
	if v.Body == nil {
		return v.Outcome != decision.Mutated
	}
	body := bytes.TrimLeft(v.Body, " \t\r\n")
	return len(body) > 0 && (phase == decision.Response || body[0] == '{')
}

// unavailable is the denial of a call that the engine could not vouch for.
func unavailable(ref string) decision.Verdict {
	return refusal(decision.Error, decision.CodeUnknown, decision.Unavailable, decision.ReasonUnavailable, ref)
}

// refusal is a verdict of this package's own, in the words of the engine.
func refusal(o decision.Outcome, c decision.Code, category decision.Category, reason, ref string) decision.Verdict {
	if ref == "" {
		ref = token.NewRef()
	}
	return decision.Verdict{Outcome: o, Would: o, Code: c, Category: category, Ref: ref, Reason: reason + " (ref " + ref + ")"}
}

// denial maps a verdict that refuses.
func denial(phase decision.Phase, v decision.Verdict) *extmcp.AuthorizationError {
	code := extmcp.AuthorizationError_Code(v.Code)
	if _, ok := extmcp.AuthorizationError_Code_name[int32(code)]; !ok {
		code = extmcp.AuthorizationError_UNKNOWN
	}
	if v.Ref == "" {
		v.Ref = token.NewRef()
	}
	reason := v.Reason
	if reason == "" {
		reason = decision.ReasonUndecided + " (ref " + v.Ref + ")"
	}
	return &extmcp.AuthorizationError{Code: code, Reason: utf8Text(reason), McpError: errorData(phase, v, code)}
}

// errorData is the JSON object that becomes the data of the caller's JSON-RPC
// error. It names no rule, detector, pattern or tool.
func errorData(phase decision.Phase, v decision.Verdict, code extmcp.AuthorizationError_Code) []byte {
	category := v.Category
	if category == "" {
		category = decision.GeneralPolicy
	}
	b := make([]byte, 0, 128)
	b = append(b, `{"ref":`...)
	b = appendText(b, v.Ref)
	b = append(b, `,"phase":`...)
	b = appendText(b, phase.String())
	b = append(b, `,"category":`...)
	b = appendText(b, string(category))
	if code == extmcp.AuthorizationError_RESOURCE_EXHAUSTED {
		b = append(b, `,"retry_after_ms":`...)
		b = appendMillis(b, v.RetryAfter)
	}
	return append(b, '}')
}

func appendText(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, utf8Text(s))
	if err != nil {
		// Only invalid UTF-8 is an error.
		panic("grpcapi: quote: " + err.Error())
	}
	return out
}

// appendMillis writes a wait in whole milliseconds, rounded up so that a caller
// who obeys is not early.
func appendMillis(b []byte, d time.Duration) []byte {
	if d <= 0 {
		d = defaultRetry
	}
	n, rest := d/time.Millisecond, d%time.Millisecond
	if rest > 0 {
		n++
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// metadata is what the gateway makes visible to its own expressions, and hands
// back to us with the response where it is configured to.
func metadata(v decision.Verdict) *structpb.Struct {
	score := v.Score
	if math.IsNaN(score) || math.IsInf(score, 0) {
		score = 0
	}
	fields := map[string]*structpb.Value{
		"guardrail": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
			"outcome": structpb.NewStringValue(v.Outcome.String()),
			"ref":     structpb.NewStringValue(utf8Text(v.Ref)),
			"score":   structpb.NewNumberValue(score),
		}}),
	}
	if v.Call != "" {
		fields["call"] = structpb.NewStringValue(utf8Text(v.Call))
	}
	return &structpb.Struct{Fields: fields}
}

// utf8Text keeps a text from making a whole reply impossible to encode.
func utf8Text(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

//go:build chaos

package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// want is what may be answered to an exchange whatever else happens. A refusal
// because the guardrail is not available, cannot decide or is full is always
// allowed.
type want uint8

const (
	harmless  want = iota // passed; never refused for what it says
	denied                // never passed, not even changed
	cleaned               // never passed as it is; changed only without the forbidden part
	malformed             // denied, and for its form
	undecided             // never passed: nobody can tell
)

// reply is an answer of either phase.
type reply struct {
	pass    bool
	mutated []byte
	err     *extmcp.AuthorizationError
	ref     string // of a passed request
}

func requestReply(r *extmcp.McpRequestResult) reply {
	g := r.GetMetadata().GetFields()["guardrail"].GetStructValue().GetFields()
	return reply{pass: r.GetPass() != nil, mutated: r.GetMutated(), err: r.GetError(), ref: g["ref"].GetStringValue()}
}

func responseReply(r *extmcp.McpResponseResult) reply {
	return reply{pass: r.GetPass() != nil, mutated: r.GetMutated(), err: r.GetError()}
}

// letThrough reports whether the gateway goes on with the exchange.
func (r reply) letThrough() bool { return r.pass || r.mutated != nil }

// refusal is what mcp_error says.
type refusal struct {
	Ref      string `json:"ref"`
	Phase    string `json:"phase"`
	Category string `json:"category"`
}

const unavailable = "unavailable"

// judge returns what is wrong with an answer, "" for nothing. forbidden is what no
// answer may contain; it may be empty.
func judge(w want, forbidden string, r reply) string {
	set := 0
	for _, b := range []bool{r.pass, r.mutated != nil, r.err != nil} {
		if b {
			set++
		}
	}
	if set != 1 {
		return "an empty reply"
	}
	if r.err != nil {
		return judgeRefusal(w, forbidden, r.err)
	}
	switch {
	case w == cleaned && r.mutated != nil:
		if bytes.Contains(r.mutated, []byte(forbidden)) {
			return "the changed message still holds what had to go"
		}
		if !json.Valid(r.mutated) {
			return "the changed message is no JSON"
		}
	case w != harmless:
		return "passed"
	case r.mutated != nil:
		return "a harmless message was changed"
	}
	return ""
}

func judgeRefusal(w want, forbidden string, e *extmcp.AuthorizationError) string {
	var data refusal
	if err := json.Unmarshal(e.GetMcpError(), &data); err != nil {
		return "mcp_error is no JSON: " + err.Error()
	}
	if data.Ref == "" || data.Category == "" || !strings.HasSuffix(e.GetReason(), "(ref "+data.Ref+")") {
		return fmt.Sprintf("a refusal without its reference: %q, %+v", e.GetReason(), data)
	}
	if forbidden != "" && strings.Contains(e.GetReason()+string(e.GetMcpError()), forbidden) {
		return "a refusal quotes the message"
	}
	ours := e.GetCode() == extmcp.AuthorizationError_UNKNOWN && data.Category == unavailable
	full := e.GetCode() == extmcp.AuthorizationError_RESOURCE_EXHAUSTED
	switch {
	case ours || full:
		return ""
	case w == harmless:
		return fmt.Sprintf("a harmless message was refused: %v, %s", e.GetCode(), data.Category)
	case w == malformed && e.GetCode() != extmcp.AuthorizationError_INVALID:
		return fmt.Sprintf("a malformed message was refused as %v", e.GetCode())
	case e.GetCode() == extmcp.AuthorizationError_UNKNOWN && w != undecided:
		return fmt.Sprintf("a refusal without a reason: %s", data.Category)
	}
	return ""
}

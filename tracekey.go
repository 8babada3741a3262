package sallyport

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/token"
)

// traceKeys derives the key under which cross-call rules remember a caller: a
// keyed hash of the source's name and value, so that two kinds of source cannot
// collide and nothing about the caller can be read from state, tokens or dumps.
// Replicas that share the first exchange key agree on trace keys.
type traceKeys struct {
	sources []string
	ring    *token.Keyring
}

func newTraceKeys(sources []string, ring *token.Keyring) (traceKeys, error) {
	for _, s := range sources {
		kind, name, ok := strings.Cut(s, ".")
		if !ok || name == "" || (kind != "meta" && kind != "header") {
			return traceKeys{}, fmt.Errorf("trace key source %q: want meta.<key> or header.<name>", s)
		}
		if s == "meta.exchange" || s == "meta.call" || strings.EqualFold(s, "header.x-request-id") {
			return traceKeys{}, fmt.Errorf("trace key source %q: differs with every exchange", s)
		}
	}
	return traceKeys{sources: sources, ring: ring}, nil
}

// of returns the trace key of the exchange, and whether it is shared by every
// caller of the service because no source was present.
func (k traceKeys) of(ex *decision.Exchange) (key [16]byte, shared bool) {
	for _, source := range k.sources {
		if value := sourceValue(ex, source); value != "" {
			return k.ring.TraceKey(source, value), false
		}
	}
	return k.ring.TraceKey(append([]string{"service"}, ex.Services...)...), true
}

// sourceValue reads one source of an exchange; an empty value is no value.
func sourceValue(ex *decision.Exchange, source string) string {
	kind, name, _ := strings.Cut(source, ".")
	switch {
	case kind == "header":
		if values := ex.Headers[strings.ToLower(name)]; len(values) > 0 {
			return values[0]
		}
		return ""
	case name == "principal":
		return ex.Principal
	case name == "session":
		return ex.Session
	case name == "route":
		return ex.Route
	}
	switch v := reflect.ValueOf(ex.Meta[name]); v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64: // how every number of a gateway arrives
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	default:
		return ""
	}
}

package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/sallyport-mcp/sallyport/internal/plainfile"
)

// maxQueued bounds the queue of spans that a variable may ask for. The SDK allocates it at once.
const maxQueued = 1 << 20

// checkEnvironment refuses values of OTEL_* variables that the SDK would pass over with a note, read as something else, or
// break at: who sets one wants it. The error names every one of them and quotes no header, which may carry a credential.
func checkEnvironment() error {
	errs := []error{checkSampler()}
	for _, n := range []struct {
		name        string
		least, most int // no timeout is 0
	}{
		{"OTEL_BSP_MAX_QUEUE_SIZE", 1, maxQueued}, {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, maxQueued},
		{"OTEL_BSP_SCHEDULE_DELAY", 1, math.MaxInt32}, {"OTEL_BSP_EXPORT_TIMEOUT", 0, math.MaxInt32},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", 0, math.MaxInt32}, {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", 0, math.MaxInt32},
	} {
		if text := firstEnv(n.name); text != "" {
			if v, err := strconv.Atoi(text); err != nil || v < n.least || v > n.most {
				errs = append(errs, fmt.Errorf("%s: %q is not a whole number from %d to %d", n.name, text, n.least, n.most))
			}
		}
	}
	for _, prefix := range []string{"OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"} {
		errs = append(errs, checkCertificates(prefix), checkHeaders(prefix+"HEADERS"))
	}
	return errors.Join(errs...)
}

func checkSampler() error {
	const name, argName = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
	switch sampler := strings.ToLower(firstEnv(name)); sampler {
	case "", "always_on", "always_off", "parentbased_always_on", "parentbased_always_off":
	case "traceidratio", "parentbased_traceidratio":
		arg := firstEnv(argName)
		if v, err := strconv.ParseFloat(arg, 64); arg != "" && (err != nil || !(v >= 0 && v <= 1)) {
			return fmt.Errorf("%s: %q is not a number from 0 to 1", argName, arg)
		}
	default:
		return fmt.Errorf("%s: %q is not one of always_on, always_off, traceidratio, and these with parentbased_ before them", name, sampler)
	}
	return nil
}

func checkCertificates(prefix string) error {
	if file := firstEnv(prefix + "CERTIFICATE"); file != "" {
		pem, err := plainfile.Read(file) // the exporter reads it again
		if err != nil {
			return fmt.Errorf("%sCERTIFICATE: %w", prefix, err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(pem) {
			return fmt.Errorf("%sCERTIFICATE: no certificate in %q", prefix, file)
		}
	}
	cert, key := firstEnv(prefix+"CLIENT_CERTIFICATE"), firstEnv(prefix+"CLIENT_KEY")
	switch {
	case cert == "" && key == "":
		return nil
	case cert == "":
		return fmt.Errorf("%sCLIENT_KEY: a key without %sCLIENT_CERTIFICATE", prefix, prefix)
	case key == "":
		return fmt.Errorf("%sCLIENT_CERTIFICATE: a certificate without %sCLIENT_KEY", prefix, prefix)
	}
	if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
		return fmt.Errorf("%sCLIENT_CERTIFICATE: %w", prefix, err)
	}
	return nil
}

// checkHeaders accepts name=value pairs between commas, the last of which may end the list, with names and values that gRPC can
// send. The SDK would leave out the others, and note a value that it cannot decode as it stands.
func checkHeaders(name string) error {
	text := strings.TrimSuffix(firstEnv(name), ",")
	if text == "" {
		return nil
	}
	for i, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if !ok || key == "" || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
			return fmt.Errorf("%s: entry %d is not name=value", name, i+1)
		}
		value, err := url.PathUnescape(value)
		if err != nil {
			return fmt.Errorf("%s: the value of entry %d holds a %% that begins no two hexadecimal digits", name, i+1)
		}
		if !strings.HasSuffix(key, "-bin") && strings.ContainsFunc(strings.TrimSpace(value), func(r rune) bool { return r < ' ' || r > '~' }) {
			return fmt.Errorf("%s: the value of entry %d is not printable ASCII", name, i+1)
		}
	}
	return nil
}

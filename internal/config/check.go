package config

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-mcp/sallyport/rules/toolglob"
)

// Checks of single values. They see trimmed text and never quote a secret.

func checkNotEmpty(text string) error {
	if text == "" {
		return errors.New("may not be empty")
	}
	return nil
}

func checkHostPort(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err != nil || strings.HasPrefix(text, "unix:") {
		return fmt.Errorf("%s is not host:port", quote(text))
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%s has no port from 0 to 65535", quote(text))
	}
	return nil
}

// maxSocketPath is what the address of a unix socket can hold on Linux, in bytes,
// less the one that the socket's name is longer while it is being made.
const maxSocketPath = 106

func checkListen(text string) error {
	path, ok := strings.CutPrefix(text, "unix:")
	if !ok {
		return checkHostPort(text)
	}
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%s is not unix: and an absolute path", quote(text))
	}
	if len(path) > maxSocketPath {
		return fmt.Errorf("the socket path is over %d bytes", maxSocketPath)
	}
	return nil
}

// checkTool accepts a glob on tool or service/tool; the first slash is the one between
// them.
func checkTool(text string) error {
	service, tool, both := strings.Cut(text, "/")
	if both && (service == "" || tool == "") {
		return fmt.Errorf("%s is neither a tool nor service/tool", quote(text))
	}
	return toolglob.Check(text)
}

func checkTraceSource(text string) error {
	kind, name, ok := strings.Cut(text, ".")
	switch {
	case text == "meta.exchange" || text == "meta.call" || strings.EqualFold(text, "header.x-request-id"):
		return fmt.Errorf("%s differs with every exchange, so that nothing would be remembered", quote(text))
	case ok && kind == "meta" && name != "":
		return nil
	case ok && kind == "header":
		return checkHeader(name)
	}
	return fmt.Errorf("%s is neither meta.<key> nor header.<name>", quote(text))
}

// checkHeader accepts a token of RFC 9110; pseudo-headers are not headers.
func checkHeader(name string) error {
	token := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !token(r) }) {
		return fmt.Errorf("%s is not a header name", quote(name))
	}
	return nil
}

// credentialHeaders never belong into an audit trail.
var credentialHeaders = []string{"authorization", "proxy-authorization", "cookie", "set-cookie"}

func checkAuditHeader(name string) error {
	if slices.Contains(credentialHeaders, name) {
		return fmt.Errorf("%s carries credentials and cannot be audited", quote(name))
	}
	return checkHeader(name)
}

// minKey is the least length of a key, in bytes: 128 bits.
const minKey = 16

func checkKey(text string) error {
	if len(text) < minKey {
		return fmt.Errorf("holds a key under %d bytes", minKey)
	}
	return nil
}

func checkSAN(text string) error {
	if text == "" || strings.ContainsAny(text, " *") {
		return fmt.Errorf("%s is not one exact URI or DNS name", quote(text))
	}
	return nil
}

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/grpcapi"
)

// checkPack has a rule for every answer that a rule can cause.
const checkPack = `version: 1
rules:
  - {name: sealed, call: {tool: sealed}}
  - {name: look, action: review, call: {tool: look}}
  - {name: often, rate: {tool: often, max: 1, within: 1h}}
  - {name: for-kim, call: {tool: mine, when: principal != "kim"}}
  - {name: by-header, call: {tool: mine, when: '!("x-team" in headers) || headers["x-team"] != ["blue"]'}}
  - {name: by-meta, call: {tool: mine, when: meta.level < 3.0}}
  - {name: then, flow: {within: 1h, steps: [{result: {tool: fetch, labels: [personal_data]}}, {call: {tool: after}}]}}
`

// startServer runs an engine without a model behind the real server and returns
// its address.
func startServer(t *testing.T, tls grpcapi.TLSFiles) string {
	t.Helper()
	cfg := sallyport.DefaultConfig()
	cfg.Drain, cfg.RuleHeaders = 0, []string{"x-team"}
	cfg.ScannerTimeout, cfg.ExchangeTimeout = time.Minute, 2*time.Minute // a busy machine is not what is tested
	cfg.RulesPath = filepath.Join(t.TempDir(), "pack.yaml")
	require.NoError(t, os.WriteFile(cfg.RulesPath, []byte(checkPack), 0o600))
	engine, err := sallyport.New(cfg)
	require.NoError(t, err)
	require.NoError(t, engine.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, engine.Shutdown(context.Background())) })
	require.Equal(t, sallyport.Serving, engine.AwaitServing(t.Context()))
	server, err := grpcapi.New(engine, grpcapi.Options{Addr: "127.0.0.1:0", TLS: tls, KeepHeaders: cfg.RuleHeaders})
	require.NoError(t, err)
	require.NoError(t, server.Listen())
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	t.Cleanup(func() { server.Stop(); require.NoError(t, <-served) })
	return server.Addr().String()
}

// runCommand executes a command line and returns what it prints and its exit code.
func runCommand(t *testing.T, stdin string, args ...string) (out, errText string, code int) {
	t.Helper()
	var b bytes.Buffer
	root := rootCommand(&b)
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	err := root.ExecuteContext(t.Context())
	var coded *exitError
	switch {
	case err == nil:
		return b.String(), "", exitOK
	case errors.As(err, &coded):
		if coded.err != nil {
			errText = coded.err.Error()
		}
		return b.String(), errText, coded.code
	}
	return b.String(), err.Error(), exitUsage
}

func TestCheckPrintsWhatTheSidecarSays(t *testing.T) {
	addr := startServer(t, grpcapi.TLSFiles{})
	const mail = `{"content":[{"type":"text","text":"write to kim@site.example"}]}`
	for _, tc := range []struct {
		name  string
		stdin string
		args  []string
		code  int
		want  []string
	}{
		{"a request as JSON-RPC", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fine","arguments":{}}}`, nil, 0, []string{"verdict  allow", "\ncall     "}},
		{"params alone", `{"name":"fine"}`, []string{"--phase", "request"}, 0, []string{"verdict  allow"}},
		{"no params", "", []string{"--no-params", "--method", "tools/list"}, 0, []string{"verdict  allow"}},
		{"a review", `{"name":"look"}`, []string{"--phase", "request"}, 0, []string{"verdict  review"}},
		{"a refusal", `{"name":"sealed"}`, []string{"--phase", "request"}, 3, []string{"verdict   deny", "code      PERMISSION_DENIED", "category  tool_policy", "reason    blocked by policy (ref "}},
		{"not a message", `name=sealed`, []string{"--phase", "request"}, 3, []string{"verdict   invalid", "code      INVALID", "category  malformed"}},
		{"the first of two", `{"name":"often"}`, []string{"--phase", "request", "--meta", "principal=lee"}, 0, []string{"verdict  allow"}},
		{"the second of two", `{"name":"often"}`, []string{"--phase", "request", "--meta", "principal=lee"}, 3, []string{"RESOURCE_EXHAUSTED", "retry after", "category     rate"}},
		{"the second, of somebody else", `{"name":"often"}`, []string{"--phase", "request", "--meta", "principal=kim"}, 0, []string{"verdict  allow"}},
		{"headers and metadata", `{"name":"mine"}`, []string{"--phase", "request", "--meta", "principal=kim", "--meta", "level:=3", "--header", "X-Team: blue"}, 0, []string{"verdict  allow"}},
		{"without them", `{"name":"mine"}`, []string{"--phase", "request", "--meta", "level:=2"}, 3, []string{"PERMISSION_DENIED"}},
		{"a result that is changed", mail, nil, 0, []string{"verdict  mutated", "what would be sent instead:", "[REDACTED:EMAIL]"}},
		{"a result as JSON-RPC", `{"jsonrpc":"2.0","id":1,"result":` + mail + `}`, []string{"--phase", "response"}, 0, []string{"verdict  mutated"}},
		{"plain text", "a quiet day", nil, 0, []string{"verdict  allow"}},
		{"plain text that looks like JSON", "{a quiet day", []string{"--text"}, 0, []string{"verdict  allow"}},
		{"a result for nobody", `{"content":[`, nil, 3, []string{"verdict   invalid"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, errText, code := runCommand(t, tc.stdin, append([]string{"check", "--addr", addr}, tc.args...)...)
			require.Equal(t, tc.code, code, "%s%s", out, errText)
			require.Empty(t, errText)
			for _, part := range tc.want {
				require.Contains(t, out, part)
			}
		})
	}
}

// TestCheckHandsTheTokenBack plays both halves of an exchange: the call's token, handed back with the result, tells the sidecar whose
// result it is.
func TestCheckHandsTheTokenBack(t *testing.T) {
	addr := startServer(t, grpcapi.TLSFiles{})
	ask := func(stdin string, args ...string) (r checkReport, code int) {
		t.Helper()
		out, errText, code := runCommand(t, stdin, append([]string{"check", "--json", "--addr", addr, "--service", "web"}, args...)...)
		require.Empty(t, errText)
		require.NoError(t, json.Unmarshal([]byte(out), &r), out)
		require.Positive(t, r.TookUS)
		return r, code
	}
	r, code := ask(`{"name":"fetch"}`, "--phase", "request", "--meta", "principal=kim")
	require.Zero(t, code)
	require.NotEmpty(t, r.Call)
	r, code = ask("mail kim@site.example", "--meta", "call="+r.Call)
	require.Equal(t, "mutated", r.Verdict)
	require.Zero(t, code)
	r, code = ask(`{"name":"after"}`, "--phase", "request", "--meta", "principal=kim")
	require.Equal(t, exitDenied, code)
	require.Equal(t, []string{"deny", "PERMISSION_DENIED", "tool_flow"}, []string{r.Verdict, r.Code, r.Category})
	require.NotEmpty(t, r.Ref)
	_, code = ask(`{"name":"after"}`, "--phase", "request", "--meta", "principal=lee")
	require.Zero(t, code)
}

func TestCheckReadsAFile(t *testing.T) {
	addr := startServer(t, grpcapi.TLSFiles{})
	path := filepath.Join(t.TempDir(), "call.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"method":"tools/call","params":{"name":"sealed"}}`), 0o600))
	_, _, code := runCommand(t, "", "check", "--addr", addr, path)
	require.Equal(t, exitDenied, code)
	_, errText, code := runCommand(t, "", "check", "--addr", addr, path+".none")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errText, "check: open ")
	_, errText, code = runCommand(t, "", "check", "--addr", addr)
	require.Equal(t, exitFailed, code)
	require.Equal(t, "check standard input: it is empty", errText)
}

func TestCheckUsage(t *testing.T) {
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--phase", "both"}, exitUsage, `--phase "both": want request or response`},
		{[]string{"--header", "no colon, Bearer abc"}, exitUsage, `--header: want "name: value"`},
		{[]string{"--header", "x-team: blue"}, exitUsage, "--header: a response has no headers"},
		{[]string{"--meta", "principal"}, exitUsage, "--meta: want name=text or name:=JSON"},
		{[]string{"--meta", "a=1", "--meta", "a=2"}, exitUsage, `--meta: "a" is given twice`},
		{[]string{"--meta", "a:={"}, exitUsage, `--meta: the value of "a" is not JSON`},
		{[]string{"--cert", "c.pem", "--key", "k.pem"}, exitUsage, "--cert and --key are for TLS, which --ca switches on"},
		{[]string{"--ca", "a.pem", "--cert", "c.pem"}, exitUsage, "--cert and --key are given together or not at all"},
		{[]string{"--no-params", "--phase", "response"}, exitUsage, "--no-params is about a request and takes no message"},
		{[]string{"a", "b"}, exitUsage, "accepts at most 1 arg"},
		{[]string{"--phase", "request", "--text"}, exitFailed, "check: the message is no request"},
		{[]string{"--ca", "/no/such/file"}, exitFailed, "check: open /no/such/file"},
	} {
		_, errText, code := runCommand(t, "a text", append([]string{"check"}, tc.args...)...)
		require.Equal(t, tc.code, code, "%v: %s", tc.args, errText)
		require.Contains(t, errText, tc.want)
		require.NotContains(t, errText, "Bearer")
	}
}

func TestCheckWithoutASidecar(t *testing.T) {
	const addr = "127.0.0.1:1" // where nobody listens by accident
	_, errText, code := runCommand(t, "a text", "check", "--addr", addr)
	require.Equal(t, exitFailed, code)
	require.Contains(t, errText, "check at "+addr+": no verdict: ")
	require.Contains(t, errText, "connection refused")
}

// TestCheckOverTLS: with an authority the sidecar is asked over TLS and must be who it says; a client certificate is shown when given.
func TestCheckOverTLS(t *testing.T) {
	dir := t.TempDir()
	ca := newCheckAuthority(t, dir, "ca.pem")
	ca.issue(t, dir, "server", "127.0.0.1")
	ca.issue(t, dir, "client", "")
	newCheckAuthority(t, dir, "stranger.pem")
	in := func(name string) string { return filepath.Join(dir, name) }
	addr := startServer(t, grpcapi.TLSFiles{Cert: in("server.pem"), Key: in("server.key"), ClientCA: in("ca.pem")})
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"both sides show who they are", []string{"--ca", in("ca.pem"), "--cert", in("client.pem"), "--key", in("client.key")}, exitOK, ""},
		{"no client certificate", []string{"--ca", in("ca.pem")}, exitFailed, "no verdict"},
		{"another authority", []string{"--ca", in("stranger.pem")}, exitFailed, "certificate signed by unknown authority"},
		{"plain text to a TLS port", nil, exitFailed, "is it behind TLS? --ca switches it on"},
		{"a certificate for an authority", []string{"--ca", in("server.key")}, exitFailed, "holds no certificate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, errText, code := runCommand(t, "a text", append([]string{"check", "--timeout", "10s", "--addr", addr}, tc.args...)...)
			require.Equal(t, tc.code, code, "%s%s", out, errText)
			require.Contains(t, errText, tc.want)
		})
	}
}

// checkAuthority signs certificates for a test.
type checkAuthority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newCheckAuthority(t *testing.T, dir, file string) checkAuthority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: file}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	writePEM(t, filepath.Join(dir, file), "CERTIFICATE", der)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return checkAuthority{cert, key}
}

// issue writes a certificate and its key, for an address or for a client.
func (a checkAuthority) issue(t *testing.T, dir, name, ip string) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip != "" {
		template.IPAddresses = []net.IP{net.ParseIP(ip)}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	writePEM(t, filepath.Join(dir, name+".pem"), "CERTIFICATE", der)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	writePEM(t, filepath.Join(dir, name+".key"), "PRIVATE KEY", pkcs8)
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

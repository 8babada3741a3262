package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/sallyport-mcp/sallyport/grpcapi"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// healthCommand is the probe for images without a shell: exit 0 when SERVING.
func healthCommand() *cobra.Command {
	var addr, service, ca, cert, key string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running sidecar whether it is ready; exit 0 when it is",
		Long: "Ask a running sidecar whether it is ready; exit 0 when it is.\n\n" +
			"Where TLS_CERT_FILE is set, its admin listener (ADMIN_ADDR) is asked, unless --addr or --ca say otherwise: a probe\n" +
			"beside the sidecar has no certificate, and the sidecar's is seldom one for 127.0.0.1.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := clientFault(ca, cert, key); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			if page := adminPages[service]; page != "" && ca == "" && !cmd.Flags().Changed("addr") && os.Getenv("TLS_CERT_FILE") != "" {
				return askAdmin(ctx, cmd.OutOrStdout(), "http://"+probeAddr(os.Getenv("ADMIN_ADDR"), defaultAdmin)+page)
			}
			creds, err := clientCredentials(ca, cert, key)
			if err != nil {
				return failed(fmt.Errorf("health: %w", err))
			}
			conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(creds))
			if err != nil {
				return failed(fmt.Errorf("health of %s: %w", addr, err))
			}
			defer conn.Close()
			r, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{Service: service})
			if err != nil {
				return failed(fmt.Errorf("health of %s: %s", addr, callError(err, ca)))
			}
			return tell(cmd.OutOrStdout(), r.GetStatus())
		},
	}
	cmd.Flags().StringVar(&addr, "addr", probeAddr(os.Getenv("LISTEN_ADDR"), defaultListen), "address of the sidecar: host:port or unix:/path")
	cmd.Flags().StringVar(&ca, "ca", "", "PEM file of the authority of the sidecar's certificate; switches TLS on")
	cmd.Flags().StringVar(&cert, "cert", "", "PEM file of a client certificate, for mTLS")
	cmd.Flags().StringVar(&key, "key", "", "PEM file of its key")
	cmd.Flags().StringVar(&service, "service", "", `health name: "" for readiness, "liveness"`)
	cmd.Flags().DurationVar(&timeout, "timeout", 2*time.Second, "how long to wait")
	return cmd
}

// tell prints a status, and fails on any but SERVING.
func tell(out io.Writer, status healthpb.HealthCheckResponse_ServingStatus) error {
	fmt.Fprintln(out, status)
	if status != healthpb.HealthCheckResponse_SERVING {
		return &exitError{code: exitFailed}
	}
	return nil
}

// adminPages tell over HTTP what the health names tell.
var adminPages = map[string]string{"": "/readyz", "ExtMcp": "/readyz", extmcp.ExtMcp_ServiceDesc.ServiceName: "/readyz", grpcapi.Liveness: "/livez"}

func askAdmin(ctx context.Context, out io.Writer, url string) error {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody) //nolint:gosec // the address is the operator's own
	if err != nil {
		return failed(fmt.Errorf("health: %w", err))
	}
	r, err := (&http.Transport{}).RoundTrip(ask) // by no proxy
	if err != nil {
		return failed(fmt.Errorf("health of %s: %w", url, err))
	}
	defer r.Body.Close() //nolint:errcheck // the status says it all
	if r.StatusCode != http.StatusOK {
		return tell(out, healthpb.HealthCheckResponse_NOT_SERVING)
	}
	return tell(out, healthpb.HealthCheckResponse_SERVING)
}

// callError is what a failed call says, without the wrapping of the transport.
func callError(err error, ca string) string {
	s := status.Convert(err)
	text := s.Code().String() + ": " + s.Message()
	if s.Code() == codes.Unavailable && ca == "" && strings.Contains(text, "server preface") {
		text += " (is it behind TLS? --ca switches it on)"
	}
	return text
}

// Where a sidecar listens that was not told otherwise.
const defaultListen, defaultAdmin = "127.0.0.1:9001", "127.0.0.1:9090"

// probeAddr is where a server that listens on addr is reached from its own host.
func probeAddr(addr, unset string) string {
	if addr == "" {
		return unset
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || strings.HasPrefix(addr, "unix:") {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

// clientFault is what is wrong with the flags of a client over TLS.
func clientFault(ca, cert, key string) error {
	switch {
	case ca == "" && (cert != "" || key != ""):
		return errors.New("--cert and --key are for TLS, which --ca switches on")
	case (cert == "") != (key == ""):
		return errors.New("--cert and --key are given together or not at all")
	}
	return nil
}

// clientCredentials are plain text without an authority.
func clientCredentials(ca, cert, key string) (credentials.TransportCredentials, error) {
	if ca == "" {
		return insecure.NewCredentials(), nil
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%q holds no certificate", ca)
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(cfg), nil
}

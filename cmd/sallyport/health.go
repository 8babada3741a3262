package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// healthCommand is the probe for images without a shell: exit 0 when SERVING.
func healthCommand() *cobra.Command {
	var addr, service string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running sidecar whether it is ready; exit 0 when it is",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				return failed(fmt.Errorf("health of %s: %w", addr, err))
			}
			defer conn.Close()
			r, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{Service: service})
			if err != nil {
				return failed(fmt.Errorf("health of %s: %w", addr, err))
			}
			fmt.Fprintln(cmd.OutOrStdout(), r.GetStatus())
			if r.GetStatus() != healthpb.HealthCheckResponse_SERVING {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:9001", "address of the sidecar: host:port or unix:/path")
	cmd.Flags().StringVar(&service, "service", "", `health name: "" for readiness, "liveness"`)
	cmd.Flags().DurationVar(&timeout, "timeout", 2*time.Second, "how long to wait")
	return cmd
}

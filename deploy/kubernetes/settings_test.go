package kubernetes

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sallyport-mcp/sallyport/internal/config"
)

// environment is what the kubelet would give the guardrail, as NAME=value lines;
// what is computed on the node is left out.
func (b *bundle) environment() []string {
	c, _ := b.guardrail()
	values := map[string]string{}
	for _, from := range c.EnvFrom {
		if m := b.configMap(from.ConfigMapRef.Name); m != nil {
			for name, value := range m.Data {
				values[name] = value
			}
		}
	}
	for _, e := range c.Env {
		if e.ValueFrom == nil {
			values[e.Name] = e.Value
		}
	}
	var lines []string
	for name, value := range values {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return lines
}

// mounted reads a file of a mounted volume: any secret is a good key.
func (b *bundle) mounted(name string) ([]byte, error) {
	c, _ := b.guardrail()
	for _, m := range c.VolumeMounts {
		if strings.HasPrefix(name, m.MountPath+"/") {
			return []byte("a key of the cluster, thirty-two bytes long"), nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// settings checks the environment: every name is a setting, every value is
// accepted, every file is mounted, and the budgets fit into what the pod grants.
func (b *bundle) settings(gateway time.Duration) (p problems) {
	known := []string{"GOMEMLIMIT"}
	for _, row := range config.Table() {
		known = append(known, row.Name)
		if f := row.FileName(); f != "" {
			known = append(known, f)
		}
	}
	c, sidecar := b.guardrail()
	lines := b.environment()
	for _, line := range lines {
		if name, _, _ := strings.Cut(line, "="); !slices.Contains(known, name) {
			p.add("%s is no setting", name)
		}
	}
	s, err := config.Load(config.Sources{Environ: lines, ReadFile: b.mounted})
	if err != nil {
		p.add("%v", err)
		return p
	}
	for _, file := range []string{s.TLSCertFile, s.TLSKeyFile, s.TLSClientCAFile, s.InvariantRulesPath + "/x"} {
		if file == "" {
			continue
		}
		if _, err := b.mounted(file); err != nil {
			p.add("%v", err)
		}
	}
	granted := b.pod().Spec.TerminationGracePeriodSeconds
	switch {
	case granted == nil:
		p.add("the pod grants no termination period of its own")
	case s.TerminationGrace == 0:
		p.add("the process is not told TERMINATION_GRACE_S")
	case sidecar && time.Duration(*granted)*time.Second < gateway+s.TerminationGrace:
		p.add("%d s do not hold the gateway's %v and TERMINATION_GRACE_S, %v", *granted, gateway, s.TerminationGrace)
	case !sidecar && time.Duration(*granted)*time.Second != s.TerminationGrace:
		p.add("the pod grants %d s, the process is told %v", *granted, s.TerminationGrace)
	}
	if !s.RulesWatch {
		p.add("rules of a ConfigMap are not watched")
	}
	p = append(p, b.listeners(c, s)...)
	return append(p, b.memory(c, s)...)
}

// listeners checks that whoever must reach a port can, and no more.
func (b *bundle) listeners(c *corev1.Container, s *config.Settings) (p problems) {
	if config.Loopback(s.AdminAddr) {
		p.add("Prometheus does not reach %s", s.AdminAddr)
	}
	byKubelet := c.ReadinessProbe != nil && c.ReadinessProbe.GRPC != nil
	switch open := !config.Loopback(s.ListenAddr); {
	case byKubelet && !open:
		p.add("the kubelet does not reach %s", s.ListenAddr)
	case byKubelet && s.TLSCertFile != "":
		p.add("the kubelet's gRPC probes speak no TLS")
	case open && len(b.policies) == 0:
		p.add("%s is open to the cluster and no policy says to whom", s.ListenAddr)
	}
	return p
}

// memory checks that the Go heap is bounded under the limit of the container, and
// that payloads in flight fit into it several times.
func (b *bundle) memory(c *corev1.Container, s *config.Settings) (p problems) {
	request, limit := c.Resources.Requests.Memory().Value(), c.Resources.Limits.Memory().Value()
	derived := slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool {
		return e.Name == "GOMEMLIMIT" && e.ValueFrom != nil && e.ValueFrom.ResourceFieldRef != nil &&
			e.ValueFrom.ResourceFieldRef.Resource == "requests.memory" && e.ValueFrom.ResourceFieldRef.ContainerName == c.Name
	})
	if !derived {
		p.add("GOMEMLIMIT is not derived from the memory request")
	}
	// The model, the runtime's arena and its library: measured at about 80 MiB.
	if native := limit - request; native < 256<<20 {
		p.add("%d MiB are left for what is not the Go heap", native>>20)
	}
	if request < 3*int64(s.MaxInflightBytes) {
		p.add("a heap of %d MiB does not hold MAX_INFLIGHT_BYTES three times", request>>20)
	}
	return p
}

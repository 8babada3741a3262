package kubernetes

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sallyport-mcp/sallyport/grpcapi"
)

// problems collects what is wrong with a bundle.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// selectors checks that whatever selects pods selects those of the template.
func (b *bundle) selectors() (p problems) {
	d, pod := b.deployments[0], labels.Set(b.pod().Labels)
	selects := func(what string, s *metav1.LabelSelector) {
		selector, err := metav1.LabelSelectorAsSelector(s)
		switch {
		case err != nil:
			p.add("%s: %v", what, err)
		case selector.Empty():
			p.add("%s selects everything", what)
		case !selector.Matches(pod):
			p.add("%s selects %s, the pods have %s", what, selector, pod)
		}
	}
	selects("deployment "+d.Name, d.Spec.Selector)
	for _, s := range b.services {
		selects("service "+s.Name, &metav1.LabelSelector{MatchLabels: s.Spec.Selector})
		for _, port := range s.Spec.Ports {
			if !b.hasPort(port.TargetPort) {
				p.add("service %s: no container has port %s", s.Name, port.TargetPort.String())
			}
		}
	}
	for _, x := range b.disruptions {
		selects("disruption budget "+x.Name, x.Spec.Selector)
	}
	for _, n := range b.policies {
		selects("network policy "+n.Name, &n.Spec.PodSelector)
		for _, rule := range n.Spec.Ingress {
			for _, port := range rule.Ports {
				if port.Port == nil || !b.hasPort(*port.Port) {
					p.add("network policy %s: no container has port %v", n.Name, port.Port)
				}
			}
		}
	}
	for _, c := range b.pod().Spec.TopologySpreadConstraints {
		selects("topology spread", c.LabelSelector)
	}
	for _, h := range b.scalers {
		if ref := h.Spec.ScaleTargetRef; ref.Kind != "Deployment" || ref.Name != d.Name || ref.APIVersion != "apps/v1" {
			p.add("autoscaler %s scales %s %s", h.Name, ref.Kind, ref.Name)
		}
		if d.Spec.Replicas != nil {
			p.add("deployment %s sets replicas, which autoscaler %s owns", d.Name, h.Name)
		}
		for _, m := range h.Spec.Metrics {
			if m.Resource == nil {
				continue
			}
			c, _ := b.guardrail()
			if _, ok := c.Resources.Requests[m.Resource.Name]; !ok {
				p.add("autoscaler %s: utilisation of %s without a request", h.Name, m.Resource.Name)
			}
		}
	}
	return p
}

func (b *bundle) hasPort(want intstr.IntOrString) bool {
	for _, c := range b.containers() {
		if portOf(c, want) {
			return true
		}
	}
	return false
}

func portOf(c *corev1.Container, want intstr.IntOrString) bool {
	for _, port := range c.Ports {
		if port.Name == want.StrVal && want.Type == intstr.String || port.ContainerPort == want.IntVal && want.Type == intstr.Int {
			return true
		}
	}
	return false
}

// probes checks that each probe asks a port of the container for the right name,
// and that readiness and liveness are different questions.
func (b *bundle) probes() (p problems) {
	c, _ := b.guardrail()
	for _, probe := range []struct {
		what          string
		probe         *corev1.Probe
		service, path string
	}{
		{"startup", c.StartupProbe, grpcapi.Liveness, "/livez"},
		{"readiness", c.ReadinessProbe, "", "/readyz"},
		{"liveness", c.LivenessProbe, grpcapi.Liveness, "/livez"},
	} {
		switch {
		case probe.probe == nil:
			p.add("no %s probe", probe.what)
		case probe.probe.GRPC != nil && probe.probe.HTTPGet == nil:
			g := probe.probe.GRPC
			if !portOf(c, intstr.FromInt32(g.Port)) {
				p.add("%s probe: no port %d", probe.what, g.Port)
			}
			if g.Service == nil || *g.Service != probe.service {
				p.add("%s probe asks for %v, not %q", probe.what, g.Service, probe.service)
			}
		case probe.probe.HTTPGet != nil && probe.probe.GRPC == nil:
			g := probe.probe.HTTPGet
			if !portOf(c, g.Port) {
				p.add("%s probe: no port %s", probe.what, g.Port.String())
			}
			if g.Path != probe.path {
				p.add("%s probe asks for %s, not %s", probe.what, g.Path, probe.path)
			}
		default:
			p.add("%s probe is neither gRPC nor HTTP", probe.what)
		}
	}
	return p
}

// confinement checks the restricted pod security standard and a little more.
func (b *bundle) confinement() (p problems) {
	spec := &b.pod().Spec
	pod := spec.SecurityContext
	if pod == nil {
		pod = &corev1.PodSecurityContext{}
	}
	if spec.HostNetwork || spec.HostPID || spec.HostIPC {
		p.add("the pod shares a namespace of the host")
	}
	if is(spec.AutomountServiceAccountToken) != "false" {
		p.add("the pod gets a token of the API server")
	}
	for _, a := range b.accounts {
		if is(a.AutomountServiceAccountToken) != "false" {
			p.add("account %s mounts its token", a.Name)
		}
	}
	for _, c := range b.containers() {
		s := c.SecurityContext
		if s == nil {
			p.add("%s: no security context", c.Name)
			continue
		}
		if is(s.AllowPrivilegeEscalation) != "false" || is(s.Privileged) == "true" {
			p.add("%s: may gain privileges", c.Name)
		}
		if is(s.ReadOnlyRootFilesystem) != "true" {
			p.add("%s: can write to its image", c.Name)
		}
		if is(s.RunAsNonRoot) != "true" && is(pod.RunAsNonRoot) != "true" {
			p.add("%s: may run as root", c.Name)
		}
		if user := first(s.RunAsUser, pod.RunAsUser); user != 65532 {
			p.add("%s: runs as user %d", c.Name, user)
		}
		if s.Capabilities == nil || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" || len(s.Capabilities.Add) > 0 {
			p.add("%s: keeps capabilities", c.Name)
		}
		profile := s.SeccompProfile
		if profile == nil {
			profile = pod.SeccompProfile
		}
		if profile == nil || profile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			p.add("%s: no seccomp profile", c.Name)
		}
		if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
			p.add("%s: resources are missing", c.Name)
		}
	}
	return p
}

func is(b *bool) string {
	if b == nil {
		return "unset"
	}
	return fmt.Sprint(*b)
}

func first(ids ...*int64) int64 {
	for _, id := range ids {
		if id != nil {
			return *id
		}
	}
	return -1
}

// images checks that every image is pinned to a version.
func (b *bundle) images() (p problems) {
	for _, c := range b.containers() {
		name := c.Image[strings.LastIndex(c.Image, "/")+1:]
		_, tag, ok := strings.Cut(name, ":")
		if digest := strings.Contains(name, "@sha256:"); !digest && (!ok || tag == "latest") {
			p.add("%s: image %q has no version", c.Name, c.Image)
		}
	}
	return p
}

// references checks that volumes, mounts and ConfigMaps name each other.
func (b *bundle) references() (p problems) {
	volumes := map[string]bool{}
	for _, v := range b.pod().Spec.Volumes {
		volumes[v.Name] = true
		if v.ConfigMap != nil && b.configMap(v.ConfigMap.Name) == nil {
			p.add("volume %s: no ConfigMap %s", v.Name, v.ConfigMap.Name)
		}
	}
	for _, c := range b.containers() {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				p.add("%s: no volume %s", c.Name, m.Name)
			}
			if !m.ReadOnly {
				p.add("%s: can write to %s", c.Name, m.MountPath)
			}
		}
		for _, e := range c.EnvFrom {
			if e.ConfigMapRef == nil || b.configMap(e.ConfigMapRef.Name) == nil {
				p.add("%s: environment from what is not there", c.Name)
			}
		}
	}
	return p
}

package kubernetes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/sallyport-mcp/sallyport/rules"
)

// overlays are the folders that can be applied.
func overlays(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("overlays")
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.NotEmpty(t, names)
	return names
}

// gatewayGrace is what the example gateway asks for itself, before the sidecar is
// added.
func gatewayGrace(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("overlays", "sidecar", "gateway.yaml"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n---\n")
	var d appsv1.Deployment
	require.NoError(t, yaml.UnmarshalStrict([]byte(first), &d))
	require.NotNil(t, d.Spec.Template.Spec.TerminationGracePeriodSeconds)
	return time.Duration(*d.Spec.Template.Spec.TerminationGracePeriodSeconds) * time.Second
}

func (b *bundle) check(gateway time.Duration) problems {
	var all problems
	for _, p := range []problems{b.selectors(), b.probes(), b.confinement(), b.images(), b.references(), b.settings(gateway)} {
		all = append(all, p...)
	}
	return all
}

func TestOverlays(t *testing.T) {
	gateway := gatewayGrace(t)
	for _, name := range overlays(t) {
		t.Run(name, func(t *testing.T) {
			b := render(t, name)
			c, sidecar := b.guardrail()
			require.NotNil(t, c)
			require.Equal(t, strings.HasPrefix(name, "sidecar"), sidecar)
			require.Empty(t, b.check(gateway))
		})
	}
}

// The gRPC probes are the rule; the overlays that leave it say why.
func TestNativeProbes(t *testing.T) {
	for name, native := range map[string]bool{"standalone": true, "sidecar": true, "standalone-tls": false, "sidecar-loopback": false} {
		c, _ := render(t, name).guardrail()
		require.Equal(t, native, c.ReadinessProbe.GRPC != nil, name)
	}
}

// What a manifest lies in is there before it: made by the overlay, or by a command of the manual.
func TestNamespaces(t *testing.T) {
	manual, err := os.ReadFile("../../docs/deploy.md")
	require.NoError(t, err)
	for _, name := range overlays(t) {
		b := render(t, name)
		namespace := b.deployments[0].Namespace
		require.NotEmpty(t, namespace, name)
		made := slices.ContainsFunc(b.namespaces, func(n *corev1.Namespace) bool { return n.Name == namespace })
		require.True(t, made || strings.Contains(string(manual), "kubectl create namespace "+namespace+" "), "%s: nobody makes %s", name, namespace)
	}
}

// The protocol of the Service's port is that of the listener: h2c is HTTP/2 in the clear.
func TestServiceTellsTheProtocol(t *testing.T) {
	for name, want := range map[string]string{"standalone": "kubernetes.io/h2c", "standalone-tls": ""} {
		var told string
		if p := render(t, name).services[0].Spec.Ports[0].AppProtocol; p != nil {
			told = *p
		}
		require.Equal(t, want, told, name)
	}
}

// The sidecar outlives its gateway: it is a native sidecar and not one more
// container.
func TestSidecarIsNative(t *testing.T) {
	c, sidecar := render(t, "sidecar").guardrail()
	require.True(t, sidecar)
	require.NotNil(t, c.RestartPolicy)
	require.Equal(t, "Always", string(*c.RestartPolicy))
}

func TestStandaloneHasItsGuards(t *testing.T) {
	b := render(t, "standalone")
	require.Len(t, b.scalers, 1)
	require.Len(t, b.disruptions, 1)
	require.Len(t, b.policies, 1)
	require.Len(t, b.accounts, 1)
	require.Equal(t, b.accounts[0].Name, b.pod().Spec.ServiceAccountName)
	require.GreaterOrEqual(t, *b.scalers[0].Spec.MinReplicas, int32(2))
	require.Zero(t, b.deployments[0].Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue(), "a roll takes no replica away before its successor is ready")
}

// The rules of the ConfigMap load in the layout that the kubelet makes of it: links
// into a folder behind a link.
func TestRulesLoadAsMounted(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "..2026_01_01"), 0o755))
	require.NoError(t, os.Symlink("..2026_01_01", filepath.Join(dir, "..data")))
	m := render(t, "standalone").configMap("sallyport-rules")
	require.NotNil(t, m, "the name has no hash, so that running pods see a change")
	for name, text := range m.Data {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "..data", name), []byte(text), 0o600))
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
	}
	_, err := rules.Load(dir)
	require.NoError(t, err)
}

// Each check notices what it is there for.
func TestChecksNotice(t *testing.T) {
	for name, tc := range map[string]struct {
		overlay string
		breakIt func(b *bundle)
		want    string
	}{
		"template label":    {"standalone", func(b *bundle) { b.pod().Labels["app.kubernetes.io/name"] = "x" }, "deployment sallyport selects"},
		"service selector":  {"standalone", func(b *bundle) { b.services[0].Spec.Selector = map[string]string{"app": "x"} }, "service sallyport selects"},
		"service port":      {"standalone", func(b *bundle) { b.services[0].Spec.Ports[0].TargetPort = intstr.FromString("x") }, "no container has port x"},
		"disruption":        {"standalone", func(b *bundle) { b.disruptions[0].Spec.Selector.MatchLabels["a"] = "b" }, "disruption budget"},
		"policy":            {"standalone", func(b *bundle) { b.policies[0].Spec.PodSelector.MatchLabels = nil }, "selects everything"},
		"scale target":      {"standalone", func(b *bundle) { b.scalers[0].Spec.ScaleTargetRef.Name = "x" }, "scales Deployment x"},
		"scaled replicas":   {"standalone", func(b *bundle) { b.deployments[0].Spec.Replicas = new(int32) }, "sets replicas"},
		"no request":        {"standalone", func(b *bundle) { c, _ := b.guardrail(); delete(c.Resources.Requests, "cpu") }, "without a request"},
		"probe port":        {"sidecar", func(b *bundle) { c, _ := b.guardrail(); c.LivenessProbe.GRPC.Port = 1 }, "liveness probe: no port 1"},
		"probe name":        {"sidecar", func(b *bundle) { c, _ := b.guardrail(); *c.LivenessProbe.GRPC.Service = "" }, "liveness probe asks"},
		"no probe":          {"sidecar", func(b *bundle) { c, _ := b.guardrail(); c.StartupProbe = nil }, "no startup probe"},
		"probe path":        {"standalone-tls", func(b *bundle) { c, _ := b.guardrail(); c.ReadinessProbe.HTTPGet.Path = "/livez" }, "readiness probe asks"},
		"token":             {"standalone", func(b *bundle) { b.pod().Spec.AutomountServiceAccountToken = nil }, "token"},
		"writable root":     {"sidecar", func(b *bundle) { c, _ := b.guardrail(); c.SecurityContext.ReadOnlyRootFilesystem = nil }, "can write to its image"},
		"root":              {"standalone", func(b *bundle) { *b.pod().Spec.SecurityContext.RunAsUser = 0 }, "runs as user 0"},
		"capability":        {"standalone", func(b *bundle) { c, _ := b.guardrail(); c.SecurityContext.Capabilities.Drop = nil }, "keeps capabilities"},
		"seccomp":           {"standalone", func(b *bundle) { b.pod().Spec.SecurityContext.SeccompProfile = nil }, "no seccomp"},
		"latest":            {"standalone", func(b *bundle) { c, _ := b.guardrail(); c.Image = "mirror:5000/sallyport:latest" }, "has no version"},
		"no tag":            {"standalone", func(b *bundle) { c, _ := b.guardrail(); c.Image = "mirror:5000/sallyport" }, "has no version"},
		"volume":            {"standalone", func(b *bundle) { b.pod().Spec.Volumes = nil }, "no volume rules"},
		"lost ConfigMap":    {"standalone", func(b *bundle) { b.configMaps = nil }, "no ConfigMap sallyport-rules"},
		"misspelt setting":  {"standalone", func(b *bundle) { b.set("FAILURE_MOOD", "x") }, "FAILURE_MOOD is no setting"},
		"wrong value":       {"standalone", func(b *bundle) { b.set("FAILURE_MODE", "maybe") }, "FAILURE_MODE"},
		"longer drain":      {"standalone", func(b *bundle) { b.set("SHUTDOWN_DRAIN_S", "60") }, "TERMINATION_GRACE_S"},
		"shorter grace":     {"standalone", func(b *bundle) { *b.pod().Spec.TerminationGracePeriodSeconds = 15 }, "the pod grants 15 s"},
		"no grace":          {"standalone", func(b *bundle) { b.pod().Spec.TerminationGracePeriodSeconds = nil }, "no termination period"},
		"sidecar's share":   {"sidecar", func(b *bundle) { *b.pod().Spec.TerminationGracePeriodSeconds = 35 }, "do not hold"},
		"key not mounted":   {"standalone", func(b *bundle) { b.set("EXCHANGE_KEY_FILE", "/nowhere/key") }, "EXCHANGE_KEY"},
		"cert not mounted":  {"standalone-tls", func(b *bundle) { b.set("TLS_CERT_FILE", "/nowhere/crt") }, "/nowhere/crt"},
		"unwatched":         {"standalone", func(b *bundle) { b.set("RULES_WATCH", "false") }, "not watched"},
		"unreachable probe": {"sidecar", func(b *bundle) { b.set("LISTEN_ADDR", "127.0.0.1:9001") }, "the kubelet does not reach"},
		"TLS probe": {"standalone", func(b *bundle) {
			b.set("TLS_CERT_FILE", "/etc/sallyport/keys/a")
			b.set("TLS_KEY_FILE", "/etc/sallyport/keys/b")
		}, "speak no TLS"},
		"open":     {"sidecar", func(b *bundle) { b.policies = nil }, "no policy says"},
		"metrics":  {"sidecar", func(b *bundle) { b.set("ADMIN_ADDR", "127.0.0.1:9090") }, "Prometheus does not reach"},
		"heap":     {"sidecar", func(b *bundle) { b.set("MAX_INFLIGHT_BYTES", "256 MiB") }, "three times"},
		"no limit": {"sidecar", func(b *bundle) { c, _ := b.guardrail(); c.Env = nil }, "GOMEMLIMIT is not derived"},
	} {
		t.Run(name, func(t *testing.T) {
			b := render(t, tc.overlay)
			tc.breakIt(b)
			found := b.check(gatewayGrace(t))
			require.Contains(t, strings.Join(found, "\n"), tc.want)
		})
	}
}

// set overrides one variable of the guardrail.
func (b *bundle) set(name, value string) {
	c, _ := b.guardrail()
	for i := range c.Env {
		if c.Env[i].Name == name {
			c.Env[i].Value = value
			return
		}
	}
	c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value})
}

// What the API does not know is an error of the rendering and not ignored.
func TestStrictDecoding(t *testing.T) {
	_, _, err := decoder(t).Decode([]byte("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x}\nautomountServiceAccountTokens: false\n"), nil, nil)
	require.ErrorContains(t, err, `unknown field "automountServiceAccountTokens"`)
	_, _, err = decoder(t).Decode([]byte("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x}\nkind: Service\n"), nil, nil)
	require.Error(t, err)
}

// The rules of the base are the default pack as it is now.
func TestRulesAreTheDefaultPack(t *testing.T) {
	pack := filepath.Join("..", "..", "rules", "packs", "default")
	want, err := filepath.Glob(filepath.Join(pack, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, want)
	listed := render(t, "standalone").configMap("sallyport-rules").Data
	require.Equal(t, len(want), len(listed), "base/kustomization.yaml lists every file of %s", pack)
	for _, file := range want {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, string(text) == listed[filepath.Base(file)], "%s is not current: run 'go generate' in deploy/kubernetes", filepath.Base(file))
	}
}

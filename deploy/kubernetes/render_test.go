package kubernetes

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// bundle is one rendered overlay by kind.
type bundle struct {
	deployments []*appsv1.Deployment
	configMaps  []*corev1.ConfigMap
	services    []*corev1.Service
	accounts    []*corev1.ServiceAccount
	namespaces  []*corev1.Namespace
	scalers     []*autoscalingv2.HorizontalPodAutoscaler
	disruptions []*policyv1.PodDisruptionBudget
	policies    []*networkingv1.NetworkPolicy
}

// decoder reads manifests as the API server does when it is asked to be strict: a
// field that the type does not have, or has twice, is an error.
func decoder(t *testing.T) runtime.Decoder {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		require.NoError(t, add(scheme))
	}
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
}

// render builds an overlay as kubectl would.
func render(t *testing.T, overlay string) *bundle {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join("overlays", overlay))
	require.NoError(t, err)
	b, strict := &bundle{}, decoder(t)
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		require.NoError(t, err)
		object, _, err := strict.Decode(text, nil, nil)
		require.NoError(t, err, "%s", text)
		switch o := object.(type) {
		case *appsv1.Deployment:
			b.deployments = append(b.deployments, o)
		case *corev1.ConfigMap:
			b.configMaps = append(b.configMaps, o)
		case *corev1.Service:
			b.services = append(b.services, o)
		case *corev1.ServiceAccount:
			b.accounts = append(b.accounts, o)
		case *autoscalingv2.HorizontalPodAutoscaler:
			b.scalers = append(b.scalers, o)
		case *policyv1.PodDisruptionBudget:
			b.disruptions = append(b.disruptions, o)
		case *networkingv1.NetworkPolicy:
			b.policies = append(b.policies, o)
		case *corev1.Namespace:
			b.namespaces = append(b.namespaces, o)
		default:
			require.Failf(t, "nobody checks it", "%T", object)
		}
	}
	require.Len(t, b.deployments, 1)
	return b
}

func (b *bundle) pod() *corev1.PodTemplateSpec { return &b.deployments[0].Spec.Template }

// guardrail is the container of ours, and whether it is a native sidecar.
func (b *bundle) guardrail() (c *corev1.Container, sidecar bool) {
	spec := &b.pod().Spec
	for i := range spec.InitContainers {
		if spec.InitContainers[i].Name == "sallyport" {
			return &spec.InitContainers[i], true
		}
	}
	for i := range spec.Containers {
		if spec.Containers[i].Name == "sallyport" {
			return &spec.Containers[i], false
		}
	}
	return nil, false
}

// containers are all containers of the pod.
func (b *bundle) containers() []*corev1.Container {
	spec := &b.pod().Spec
	var list []*corev1.Container
	for i := range spec.InitContainers {
		list = append(list, &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		list = append(list, &spec.Containers[i])
	}
	return list
}

func (b *bundle) configMap(name string) *corev1.ConfigMap {
	for _, c := range b.configMaps {
		if c.Name == name {
			return c
		}
	}
	return nil
}

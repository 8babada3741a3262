// Package kubernetes holds the manifests: a kustomize base (settings and rules),
// components that add to a workload, and overlays that can be applied. It has no
// code but the tests that render every overlay and check it: against the API's own
// types, against the settings, and against itself.
package kubernetes

// The rules of the base are the default pack, as files that a site can change.
//go:generate sh -c "rm -f base/rules/*.yaml && cp ../../rules/packs/default/*.yaml base/rules/"

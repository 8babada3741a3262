package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// awaitReload waits for one call of reload.
func awaitReload(t *testing.T, reloaded <-chan struct{}) {
	t.Helper()
	select {
	case <-reloaded:
	case <-time.After(30 * time.Second):
		t.Fatal("the change was not noticed")
	}
}

// TestWatchSeesAConfigMapSwap: the update of a Kubernetes ConfigMap touches no
// file that is read; it replaces the symlink beside them.
func TestWatchSeesAConfigMapSwap(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"..v1", "..v2"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, version, "pack.yaml"), []byte(version), 0o600))
	}
	require.NoError(t, os.Symlink("..v1", filepath.Join(dir, "..data")))
	pack := filepath.Join(dir, "pack.yaml")
	require.NoError(t, os.Symlink(filepath.Join("..data", "pack.yaml"), pack))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reloaded := make(chan struct{}, 16)
	require.NoError(t, watchRules(ctx, pack, zap.NewNop(), func() { reloaded <- struct{}{} }))

	require.NoError(t, os.Symlink("..v2", filepath.Join(dir, "..data_tmp")))
	require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	awaitReload(t, reloaded)
	text, err := os.ReadFile(pack)
	require.NoError(t, err)
	require.Equal(t, "..v2", string(text))
}

func TestWatchSeesAWrittenFileOfADirectory(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reloaded := make(chan struct{}, 16)
	require.NoError(t, watchRules(ctx, dir, zap.NewNop(), func() { reloaded <- struct{}{} }))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("x"), 0o600))
	awaitReload(t, reloaded)
}

func TestWatchNamesWhatIsMissing(t *testing.T) {
	err := watchRules(t.Context(), filepath.Join(t.TempDir(), "none"), zap.NewNop(), func() {})
	require.ErrorContains(t, err, "RULES_WATCH")
	require.ErrorContains(t, err, "none")
}

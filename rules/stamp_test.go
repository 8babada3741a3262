package rules

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every way in which a pack on disk becomes another one shows in its stamp, and what is none of its files does not.
func TestStampChangesWithThePack(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	made := time.Unix(1_700_000_000, 0)
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o750))
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o600))
		made = made.Add(time.Second) // whatever the file system's clock resolves
		require.NoError(t, os.Chtimes(at(name), made, made))
	}
	link := func(target, name string) {
		t.Helper()
		require.NoError(t, os.Symlink(target, at(name+"~")))
		require.NoError(t, os.Rename(at(name+"~"), at(name)))
	}
	write("pack/a.yaml", "a")
	write("pack/b.yml", "b")
	write("other/a.yaml", "a")
	write("cm/..v1/a.yaml", "a")
	write("cm/..v2/a.yaml", "a")
	link("..v1", "cm/..data")
	link("..data/a.yaml", "cm/a.yaml")
	link("pack", "current")
	link("other/a.yaml", "linked.yaml")
	require.Empty(t, Stamp(""))

	last := map[string]string{}
	step := func(what string, changes ...string) {
		t.Helper()
		for _, path := range []string{"pack", "pack/a.yaml", "cm", "cm/a.yaml", "current", "linked.yaml"} {
			now := Stamp(at(path))
			require.NotEmpty(t, now)
			require.Equal(t, now, Stamp(at(path)))
			changed := false
			for _, c := range changes {
				changed = changed || c == path
			}
			if before, ok := last[path]; ok {
				require.Equal(t, changed, now != before, "%s: %s", what, path)
			}
			last[path] = now
		}
	}
	step("at first")
	step("nothing")
	write("pack/a.yaml", "A")
	step("written in place", "pack", "pack/a.yaml", "current")
	write("pack/note.txt", "x")
	write("pack/.hidden.yaml", "x")
	step("a file that is not read")
	write("pack/c.yaml", "c")
	step("a further file", "pack", "current")
	link("..v2", "cm/..data")
	step("the swap of a ConfigMap", "cm", "cm/a.yaml")
	write("other/a.yaml", "A")
	step("written where a link leads", "linked.yaml")
	link("other", "current")
	step("a link to another directory", "current")
	require.NoError(t, os.Rename(at("pack"), at("old")))
	step("gone", "pack", "pack/a.yaml")
	write("pack/a.yaml", "A")
	step("a new directory", "pack", "pack/a.yaml")
	require.NoError(t, os.Remove(at("pack/a.yaml")))
	step("nothing left in it", "pack", "pack/a.yaml")
}

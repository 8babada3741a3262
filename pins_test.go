package sallyport

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPinsFileIsOneThatCanBeKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	for path, want := range map[string]string{
		"":                               "",
		filepath.Join(dir, "new.json"):   "",
		filepath.Join(dir, "no", "pins"): "no such file or directory",
		filepath.Join(file, "pins.json"): "is not a directory",
		file:                             "load pins",
		dir:                              "is a directory",
	} {
		err := CheckPinsFile(path)
		if want == "" {
			require.NoError(t, err, path)
			continue
		}
		require.ErrorContains(t, err, want, path)
		require.ErrorContains(t, err, path, path)
	}
}

// A folder that is not there is no reason to go on with pins that end with the process.
func TestStartNeedsTheFolderOfThePinsFile(t *testing.T) {
	cfg := DefaultConfig()
	cfg.PinsFile = filepath.Join(t.TempDir(), "no", "pins.json")
	e, err := New(cfg)
	require.NoError(t, err)
	require.ErrorContains(t, e.Start(t.Context()), cfg.PinsFile)
	require.NoError(t, e.Shutdown(t.Context()))
}

func TestFailedSavesOfPinsAreToldOnceAMinute(t *testing.T) {
	var l saveLog
	at := time.Unix(1_700_000_000, 0)
	bad := errors.New("disk full")
	for _, step := range []struct {
		after          time.Duration
		err            error
		say, recovered bool
	}{
		{0, nil, false, false},
		{0, bad, true, false},
		{time.Second, bad, false, false},
		{59 * time.Second, bad, true, false},
		{time.Second, bad, false, false},
		{time.Second, nil, false, true},
		{time.Second, nil, false, false},
		{time.Second, bad, true, false},
	} {
		at = at.Add(step.after)
		say, recovered := l.saved(step.err, at)
		require.Equal(t, []bool{step.say, step.recovered}, []bool{say, recovered})
	}
}

func TestCheckPack(t *testing.T) {
	require.NoError(t, CheckPack(""))
	require.ErrorContains(t, CheckPack(filepath.Join(t.TempDir(), "pack.yaml")), "no such file")
}

package config

import (
	"io/fs"
	"maps"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// read loads a configuration from texts: a YAML file (none when empty), files by
// name, environment lines and arguments.
func read(t *testing.T, yaml string, files map[string]string, env []string, args ...string) (*Settings, error) {
	t.Helper()
	all := maps.Clone(files)
	if all == nil {
		all = map[string]string{}
	}
	if yaml != "" {
		all["sallyport.yaml"] = yaml
		env = append([]string{"CONFIG=sallyport.yaml"}, env...)
	}
	if env == nil {
		env = []string{}
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	Flags(flags)
	require.NoError(t, flags.Parse(args))
	return Load(Sources{Flags: flags, Environ: env, ReadFile: func(name string) ([]byte, error) {
		if text, ok := all[name]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}})
}

// good loads a configuration that must be right.
func good(t *testing.T, yaml string, env []string, args ...string) *Settings {
	t.Helper()
	s, err := read(t, yaml, nil, env, args...)
	require.NoError(t, err)
	return s
}

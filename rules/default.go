package rules

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
)

//go:embed packs/default/*.yaml
var defaultFiles embed.FS

const defaultDir = "packs/default"

// DefaultFiles are the files of the embedded default pack, at the root of a file system, to copy and change.
func DefaultFiles() (fs.FS, error) { return fs.Sub(defaultFiles, defaultDir) }

// Default is the embedded default pack.
func Default() (*Pack, error) {
	sources, err := defaultSources()
	if err != nil {
		return nil, fmt.Errorf("load default rules: %w", err)
	}
	pack, err := parseSources("default", sources)
	if err != nil {
		return nil, fmt.Errorf("load default rules: %w", err)
	}
	return pack, nil
}

func defaultSources() ([]packSource, error) {
	entries, err := defaultFiles.ReadDir(defaultDir)
	if err != nil {
		return nil, err
	}
	var sources []packSource
	for _, e := range entries {
		data, err := defaultFiles.ReadFile(path.Join(defaultDir, e.Name()))
		if err != nil {
			return nil, err
		}
		sources = append(sources, packSource{name: path.Join("default", e.Name()), data: data})
	}
	return sources, nil
}

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
	const dir = defaultDir
	entries, err := defaultFiles.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("load default rules: %w", err)
	}
	var sources []packSource
	for _, e := range entries {
		data, err := defaultFiles.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("load default rules: %w", err)
		}
		sources = append(sources, packSource{name: path.Join("default", e.Name()), data: data})
	}
	pack, err := parseSources("default", sources)
	if err != nil {
		return nil, fmt.Errorf("load default rules: %w", err)
	}
	return pack, nil
}

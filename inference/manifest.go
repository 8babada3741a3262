package inference

import (
	"encoding/hex"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// ManifestFile is the name of our own file in a model directory.
const ManifestFile = "sallyport.json"

// manifestFormat is the one version of ManifestFile there is.
const manifestFormat = 1

// Manifest is sallyport.json: what was measured about a model, and what its
// files must be. Every member is optional; members not listed here are refused,
// so that a misspelt threshold does not go unnoticed.
type Manifest struct {
	Format  int    `json:"format,omitzero"`
	Name    string `json:"name,omitzero"`
	Version string `json:"version,omitzero"`
	// Normalizer names the version of the declared normalisation. The
	// normalisation itself is tokenizer.json's.
	Normalizer string          `json:"normalizer,omitzero"`
	Windows    ManifestWindows `json:"windows,omitzero"`
	// Thresholds are per surface; "default" stands for those not named.
	Thresholds map[string]Thresholds `json:"thresholds,omitzero"`
	// Clear is the score below which this model, as a gate, clears a window so that
	// no judge reads it; above 0 and below 1. A model without it is no gate.
	Clear *float64 `json:"clear,omitzero"`
	// Files are the SHA-256 of files of the directory, in hexadecimal.
	Files       map[string]string `json:"files,omitzero"`
	Calibration Calibration       `json:"calibration,omitzero"`
}

// ManifestWindows are the sizes a model was calibrated with, in ids with the
// control tokens.
type ManifestWindows struct {
	Tokens int `json:"tokens,omitzero"`
	// Overlap is the share of a window that the next repeats, from 0 to 0.5.
	Overlap *float64 `json:"overlap,omitzero"`
	// Wide is the size of the windows read where no gate stands in front.
	Wide int `json:"wide,omitzero"`
}

// Thresholds are probabilities at or above which a window is acted on.
type Thresholds struct {
	Block  float64 `json:"block"`
	Review float64 `json:"review"`
	// Clear, when given, takes the place of Manifest.Clear on this surface.
	Clear float64 `json:"clear,omitzero"`
}

// Calibration says on what the thresholds were set.
type Calibration struct {
	// Set names the set of benign documents, Documents is their number.
	Set       string
	Documents int
	// Rest is what calibrating tools write besides; it is kept as it is.
	Rest map[string]jsontext.Value
}

// IsZero reports whether there is nothing to write.
func (c Calibration) IsZero() bool { return c.Set == "" && c.Documents == 0 && len(c.Rest) == 0 }

// UnmarshalJSON reads the members that are known and keeps the others.
func (c *Calibration) UnmarshalJSON(data []byte) error {
	var known struct {
		Set       string `json:"set"`
		Documents int    `json:"documents"`
	}
	all := map[string]jsontext.Value{}
	if err := errors.Join(json.Unmarshal(data, &known), json.Unmarshal(data, &all)); err != nil {
		return err
	}
	delete(all, "set")
	delete(all, "documents")
	*c = Calibration{known.Set, known.Documents, all}
	return nil
}

// MarshalJSON writes the members in the order of their names.
func (c Calibration) MarshalJSON() ([]byte, error) {
	all := map[string]any{"set": c.Set, "documents": c.Documents}
	for name, value := range c.Rest {
		all[name] = value
	}
	return json.Marshal(all, json.Deterministic(true))
}

// Surfaces are the names under which thresholds may be given: where in MCP
// traffic a text stood.
var Surfaces = []string{DefaultSurface, "description", "params", "result", "other"}

// DefaultSurface holds the thresholds of surfaces that have none of their own.
const DefaultSurface = "default"

// uncalibrated applies to models that come without thresholds. Vendors publish
// 0.5 as the point of equal doubt; blocking asks for more.
var uncalibrated = Thresholds{Block: 0.9, Review: 0.5}

// ParseManifest reads sallyport.json and checks what can be checked without
// the other files.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m, json.RejectUnknownMembers(true)); err != nil {
		return m, err
	}
	if m.Format != 0 && m.Format != manifestFormat {
		return m, fmt.Errorf("format %d, this version reads format %d", m.Format, manifestFormat)
	}
	if o := m.Windows.Overlap; o != nil && !(*o >= 0 && *o <= 0.5) {
		return m, fmt.Errorf("windows.overlap is %v, want 0 to 0.5", *o)
	}
	if c := m.Clear; c != nil && !(*c > 0 && *c < 1) {
		return m, fmt.Errorf("clear is %v, want above 0 and below 1", *c)
	}
	if m.Windows.Tokens < 0 || m.Windows.Wide < 0 {
		return m, fmt.Errorf("windows: sizes must not be negative")
	}
	return m, m.checkMaps()
}

func (m *Manifest) checkMaps() error {
	if m.Thresholds != nil {
		if _, ok := m.Thresholds[DefaultSurface]; !ok {
			return fmt.Errorf("thresholds: no %q", DefaultSurface)
		}
	}
	for _, surface := range slices.Sorted(maps.Keys(m.Thresholds)) {
		t := m.Thresholds[surface]
		if !slices.Contains(Surfaces, surface) {
			return fmt.Errorf("thresholds: unknown surface %q", surface)
		}
		if !(t.Review > 0 && t.Review <= t.Block && t.Block <= 1) {
			return fmt.Errorf("thresholds.%s: block %v and review %v, want 0 < review <= block <= 1", surface, t.Block, t.Review)
		}
		if err := m.checkClear(surface, t); err != nil {
			return err
		}
	}
	for _, file := range slices.Sorted(maps.Keys(m.Files)) {
		sum, err := hex.DecodeString(m.Files[file])
		if err != nil || len(sum) != 32 {
			return fmt.Errorf("files: %q has no SHA-256 in hexadecimal", file)
		}
		if !fs.ValidPath(file) || file == ManifestFile {
			return fmt.Errorf("files: %q is not another file of the directory", file)
		}
	}
	return nil
}

// checkClear refuses a gate that would clear what it blocks.
func (m *Manifest) checkClear(surface string, t Thresholds) error {
	switch {
	case t.Clear != 0 && m.Clear == nil:
		return fmt.Errorf("thresholds.%s.clear is %v, but there is no \"clear\" for other surfaces", surface, t.Clear)
	case t.Clear != 0 && !(t.Clear > 0 && t.Clear < t.Block):
		return fmt.Errorf("thresholds.%s.clear is %v, want above 0 and below block, which is %v", surface, t.Clear, t.Block)
	case t.Clear == 0 && m.Clear != nil && *m.Clear >= t.Block:
		return fmt.Errorf("clear is %v, want below thresholds.%s.block, which is %v", *m.Clear, surface, t.Block)
	}
	return nil
}

// Encode returns the text of sallyport.json.
func (m Manifest) Encode() ([]byte, error) {
	data, err := json.Marshal(m, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", ManifestFile, err)
	}
	return append(data, '\n'), nil
}

// ReadManifest returns the manifest of a model directory, the zero value where there
// is none. The error is a *LoadError.
func ReadManifest(s Source) (Manifest, error) {
	if !s.has(ManifestFile) {
		return Manifest{}, nil
	}
	data, err := s.read(ManifestFile, "")
	if err != nil {
		return Manifest{}, err
	}
	m, err := ParseManifest(data)
	if err != nil {
		return Manifest{}, &LoadError{File: s.path(ManifestFile), Reason: err.Error(), Err: err}
	}
	return m, nil
}

// SaveManifest replaces sallyport.json in a model directory, whole or not at
// all.
func SaveManifest(dir string, m Manifest) error {
	data, err := m.Encode()
	if err != nil {
		return err
	}
	if _, err := ParseManifest(data); err != nil {
		return fmt.Errorf("write %s: %w", ManifestFile, err)
	}
	f, err := os.CreateTemp(dir, ManifestFile+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", ManifestFile, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, ManifestFile))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", ManifestFile, err), os.Remove(f.Name()))
	}
	return nil
}

package inference

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"

	"github.com/sallyport-mcp/sallyport/inference/onnx"
	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
)

// Model computes logits. It is what stands between a Classifier and a runtime.
type Model interface {
	// Run returns Rows*labels logits, row by row. It is safe for concurrent
	// use.
	Run(control *onnx.Control, b onnx.Batch) (logits []float32, labels int, err error)
	// Close frees the model once no Run is left.
	Close() error
}

// Info describes a loaded model.
type Info struct {
	// Name and Version are the manifest's, or the directory's name.
	Name, Version string
	// ID is the beginning of a SHA-256 over the files that decide a score.
	ID string
	// Label is the malicious label, Labels are all of them in output order.
	Label  string
	Labels []string
	// Tokenizer is "Unigram" or "WordPiece"; VocabSize bounds its ids.
	Tokenizer string
	VocabSize int
	// MaxTokens is the longest window in ids, control tokens included.
	MaxTokens int
	// WindowTokens and WideTokens are the sizes of narrow and wide windows,
	// Overlap is the share of one that the next repeats.
	WindowTokens, WideTokens int
	Overlap                  float64
	// Block and Review are the thresholds of texts from anywhere; Surfaces
	// holds those of named surfaces.
	Block, Review float64
	Surfaces      map[string]Thresholds
	// Clear is the score below which this model, as a gate, clears a window; 0 for a
	// model that was not calibrated as one. Surfaces may have their own: see ClearAt.
	Clear float64
	// Calibrated tells thresholds of the model from our fallback;
	// CalibrationSet names what they were set on.
	Calibrated     bool
	CalibrationSet string
	// BatchInvariant is false when a score depends on what else is in the
	// batch; Run then computes such windows one by one.
	BatchInvariant bool
	// Separation is by how much the canary injections score above the benign
	// canaries, -1 when the self-test was skipped.
	Separation float64
	// Runtime is the version of ONNX Runtime; Files are the SHA-256 of the
	// directory's files.
	Runtime string
	Files   map[string]string
}

// Thresholds returns those of a surface.
func (i Info) Thresholds(surface string) Thresholds {
	if t, ok := i.Surfaces[surface]; ok {
		return t
	}
	return Thresholds{Block: i.Block, Review: i.Review}
}

// ClearAt is the score below which a gate clears a window of a surface, 0 for a model
// that is none.
func (i Info) ClearAt(surface string) float64 {
	if t := i.Surfaces[surface]; t.Clear > 0 {
		return t.Clear
	}
	return i.Clear
}

// Classifier is a loaded model. It is safe for concurrent use.
type Classifier struct {
	tok   *tokenizer.Tokenizer
	model Model
	info  Info
	label int
	// alone is set when windows must not share a batch.
	alone bool
	// key begins the hash of every window: the process's secret, so that
	// nobody can construct two windows of one key, and the model's identity.
	key [32]byte
}

// Default sizes of windows, in ids. Narrow: one poisoned sentence must not
// drown in clean text around it.
const (
	narrowTokens   = 96
	defaultOverlap = 0.25
)

// processKey makes window keys unpredictable from outside the process.
var processKey = func() (k [16]byte) {
	_, _ = rand.Read(k[:]) // does not fail
	return k
}()

func newClassifier(l *loader, model Model, runtime string) *Classifier {
	c := &Classifier{tok: l.tok, model: model, label: l.label}
	m := &l.manifest
	longest := l.longest()
	c.info = Info{
		Name: m.Name, Version: m.Version, Label: l.labels[l.label], Labels: l.labels,
		Tokenizer: l.tok.Kind(), VocabSize: l.tok.VocabSize(), MaxTokens: longest,
		WindowTokens: m.Windows.Tokens, WideTokens: m.Windows.Wide, Overlap: defaultOverlap,
		Surfaces: m.Thresholds, CalibrationSet: m.Calibration.Set, BatchInvariant: true, Separation: -1,
		Runtime: runtime, Files: l.sums,
	}
	if c.info.Name == "" {
		c.info.Name = filepath.Base(l.src.name)
	}
	if c.info.WindowTokens == 0 {
		c.info.WindowTokens = min(narrowTokens, longest)
	}
	if c.info.WideTokens == 0 {
		c.info.WideTokens = longest
	}
	if m.Windows.Overlap != nil {
		c.info.Overlap = *m.Windows.Overlap
	}
	t, calibrated := m.Thresholds[DefaultSurface]
	if !calibrated {
		t = uncalibrated
	}
	c.info.Block, c.info.Review, c.info.Calibrated = t.Block, t.Review, calibrated
	if m.Clear != nil {
		c.info.Clear = *m.Clear
	}

	h := sha256.New()
	for _, file := range slices.Sorted(maps.Keys(l.sums)) {
		h.Write([]byte(file + "\x00" + l.sums[file] + "\n"))
	}
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(l.label)))
	id := h.Sum(nil)
	c.info.ID = hex.EncodeToString(id[:8])
	copy(c.key[:16], processKey[:])
	copy(c.key[16:], id)
	return c
}

// Info describes the model. The caller must not change its maps and slices.
func (c *Classifier) Info() Info { return c.info }

// Close gives the model up. Runs in flight finish; the memory is freed when
// the last of them returns. Further calls do nothing.
func (c *Classifier) Close() error { return c.model.Close() }

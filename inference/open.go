package inference

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/sallyport-mcp/sallyport/inference/onnx"
	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
)

// Runtime is a reference to the process's ONNX Runtime library.
type Runtime = onnx.Runtime

// OpenRuntime loads the runtime library, or takes one more reference to it; see
// onnx.Open. An engine that opens and closes models keeps one, so that the
// library stays loaded in between.
func OpenRuntime(lib string) (*Runtime, error) { return onnx.Open(lib) }

// Options are what a model directory does not say about itself.
type Options struct {
	// RuntimeLib is the path of the runtime library; empty looks for it as
	// onnx.Open says.
	RuntimeLib string
	// Label names the malicious label; empty takes it from config.json.
	Label string
	// SkipSelfTest loads a model although it was not shown to tell
	// injections from benign text. For benchmarks alone.
	SkipSelfTest bool
	// Intra is the number of threads of one Run, 1 when zero. More buys
	// latency with throughput.
	Intra int
}

// Open loads a model directory and proves it: checksums, labels, inputs and
// outputs, vocabulary against embedding, the longest window, finite scores, and
// that it tells injections from benign text. The error is a *LoadError that
// names the file and what was expected of it.
func Open(src Source, opt Options) (*Classifier, error) {
	if src.files == nil {
		return nil, &LoadError{File: "", Reason: "no source", Want: "a directory or a file system"}
	}
	if src.dir != "" {
		if info, err := os.Stat(src.dir); err != nil || !info.IsDir() {
			return nil, &LoadError{File: src.dir, Reason: "is not a directory", Want: "a model directory", Err: err}
		}
	}
	l := loader{src: src, opt: opt}
	for _, step := range []func() error{l.texts, l.checksums, l.header, l.session} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	c := l.c
	if err := c.prove(src, !opt.SkipSelfTest); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// loader collects what the steps of Open find.
type loader struct {
	src      Source
	opt      Options
	manifest Manifest
	config   modelConfig
	tok      *tokenizer.Tokenizer
	labels   []string
	label    int
	sums     map[string]string
	inputs   []string
	output   string
	data     []byte // the network, when it is not on disk
	c        *Classifier
}

const tokenizerFile = "tokenizer.json"

// texts reads the JSON files and holds them against each other.
func (l *loader) texts() error {
	var err error
	if l.manifest, err = ReadManifest(l.src); err != nil {
		return err
	}
	if l.config, err = readConfig(l.src); err != nil {
		return err
	}
	if l.labels, err = l.config.labels(l.src); err != nil {
		return err
	}
	if l.label, err = maliciousLabel(l.src, l.labels, l.opt.Label); err != nil {
		return err
	}
	data, err := l.src.read(tokenizerFile, "the model's tokenizer")
	if err != nil {
		return err
	}
	if l.tok, err = tokenizer.Parse(data); err != nil {
		return &LoadError{File: l.src.path(tokenizerFile), Reason: err.Error(), Err: err}
	}
	if v := l.config.VocabSize; v > 0 && l.tok.VocabSize() > v {
		return &LoadError{
			File:   l.src.path(tokenizerFile),
			Reason: fmt.Sprintf("has %d ids, but the model's vocab_size is %d", l.tok.VocabSize(), v),
			Want:   "the tokenizer that the model was trained with",
		}
	}
	return l.windowSizes()
}

func (l *loader) windowSizes() error {
	frame := len(l.tok.Prefix()) + len(l.tok.Suffix())
	longest := l.longest()
	w := &l.manifest.Windows
	for name, n := range map[string]int{"tokens": w.Tokens, "wide": w.Wide} {
		if n != 0 && (n > longest || n < frame+4) {
			return &LoadError{
				File:   l.src.path(ManifestFile),
				Reason: fmt.Sprintf("windows.%s is %d", name, n),
				Want:   fmt.Sprintf("%d to %d", frame+4, longest),
			}
		}
	}
	if longest < frame+4 {
		return &LoadError{File: l.src.path(configFile), Reason: fmt.Sprintf("leaves %d ids for a window", longest), Want: fmt.Sprintf("at least %d", frame+4)}
	}
	return nil
}

// widest bounds a window where the manifest asks for no more: time and memory
// of attention grow with the square of its length, whatever a model may take.
const widest = 512

// longest is the longest window in ids.
func (l *loader) longest() int {
	w := &l.manifest.Windows
	return min(l.config.maxTokens(), max(widest, w.Tokens, w.Wide))
}

// checksums hashes every file that decides a score, and compares them with the
// manifest. A flipped bit in the weights would load without a word.
func (l *loader) checksums() error {
	files := map[string]bool{l.src.model: true, tokenizerFile: true, configFile: true}
	// Where exporters put weights that do not fit into the model file.
	for _, data := range []string{l.src.model + ".data", l.src.model + "_data"} {
		if l.src.has(data) {
			files[data] = true
		}
	}
	for file := range l.manifest.Files {
		files[file] = true
	}
	l.sums = make(map[string]string, len(files))
	for _, file := range slices.Sorted(maps.Keys(files)) {
		sum, err := l.sum(file)
		if err != nil {
			return err
		}
		want, listed := l.manifest.Files[file]
		if listed && sum != want {
			return &LoadError{File: l.src.path(file), Reason: "has the SHA-256 " + sum, Want: want + ", as in " + ManifestFile}
		}
		l.sums[file] = sum
	}
	return nil
}

func (l *loader) sum(file string) (string, error) {
	want := "the file that " + ManifestFile + " lists"
	if file == l.src.model {
		want = "the network"
	}
	f, err := l.src.open(file, want)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", &LoadError{File: l.src.path(file), Reason: fmt.Sprintf("cannot be read: %v", err), Err: err}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// header checks the network's inputs and outputs before the runtime sees it:
// the runtime reports most of these only at the first run, if at all.
func (l *loader) header() error {
	h, data, err := readHeader(l.src)
	if err != nil {
		return err
	}
	l.data = data
	bad := func(want, format string, args ...any) error {
		return &LoadError{File: l.src.path(l.src.model), Reason: fmt.Sprintf(format, args...), Want: want}
	}
	for _, name := range []string{onnx.InputIDs, onnx.AttentionMask} {
		if _, ok := h.Input(name); !ok {
			return bad("the inputs input_ids and attention_mask, and at most token_type_ids besides", "has no input %q", name)
		}
	}
	for _, p := range h.Inputs {
		switch p.Name {
		case onnx.InputIDs, onnx.AttentionMask, onnx.TokenTypeIDs:
		default:
			return bad("no inputs but input_ids, attention_mask and token_type_ids", "wants the input %q", p.Name)
		}
		if p.Type != onnx.TypeInt64 || len(p.Dims) != 2 {
			return bad("64-bit integers [batch, length]", "input %q has the element type %d and %d dimensions", p.Name, p.Type, len(p.Dims))
		}
		if p.Dims[0] >= 0 || p.Dims[1] >= 0 {
			return bad("a batch and a length that vary", "input %q has the fixed shape %v", p.Name, p.Dims)
		}
		l.inputs = append(l.inputs, p.Name)
	}
	if len(h.Outputs) == 0 {
		return bad("logits [batch, labels]", "has no output")
	}
	out := h.Outputs[0]
	if out.Type != onnx.TypeFloat || len(out.Dims) != 2 {
		return bad("32-bit floats [batch, labels]", "output %q has the element type %d and %d dimensions", out.Name, out.Type, len(out.Dims))
	}
	if n := out.Dims[1]; n > 0 && n != int64(len(l.labels)) {
		return bad(fmt.Sprintf("the %d labels of %s", len(l.labels), configFile), "output %q has %d labels", out.Name, n)
	}
	l.output = out.Name
	return nil
}

// readHeader reads the head of the network; data is the whole network when it
// is not on disk.
func readHeader(src Source) (h onnx.Header, data []byte, err error) {
	f, err := src.open(src.model, "the network")
	if err != nil {
		return h, nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return h, nil, &LoadError{File: src.path(src.model), Reason: fmt.Sprintf("cannot be read: %v", err), Err: err}
	}
	at, onDisk := f.(io.ReaderAt)
	if src.dir == "" || !onDisk {
		if data, err = io.ReadAll(f); err != nil {
			return h, nil, &LoadError{File: src.path(src.model), Reason: fmt.Sprintf("cannot be read: %v", err), Err: err}
		}
		at = bytes.NewReader(data)
	}
	if h, err = onnx.ReadHeader(at, info.Size()); err != nil {
		return h, nil, &LoadError{File: src.path(src.model), Reason: err.Error(), Want: "an ONNX model", Err: err}
	}
	return h, data, nil
}

// session opens the network in the runtime.
func (l *loader) session() error {
	runtime, err := onnx.Open(l.opt.RuntimeLib)
	if err != nil {
		var lib *onnx.LibraryError
		if errors.As(err, &lib) {
			return &LoadError{
				File: lib.Path, Reason: "ONNX Runtime library: " + lib.Reason, Err: err,
				Want: "libonnxruntime " + onnx.LeastVersion + " or newer, named by " + onnx.LibraryEnv + ", beside the executable, or installed",
			}
		}
		if errors.Is(err, onnx.ErrNoCgo) {
			return &LoadError{File: l.src.String(), Reason: "cannot be run: " + err.Error(), Want: "a build with CGO_ENABLED=1", Err: err}
		}
		return &LoadError{File: l.opt.RuntimeLib, Reason: err.Error(), Err: err}
	}
	options := onnx.SessionOptions{Inputs: l.inputs, Output: l.output, IntraThreads: l.opt.Intra}
	if l.src.dir != "" {
		options.Path = filepath.Join(l.src.dir, filepath.FromSlash(l.src.model))
	} else {
		options.Data = l.data
	}
	session, err := runtime.NewSession(options)
	version := runtime.Version()
	// The session holds a reference of its own.
	closed := runtime.Close()
	if err != nil {
		return &LoadError{File: l.src.path(l.src.model), Reason: "the runtime refuses it: " + err.Error(), Want: "a model that ONNX Runtime " + version + " can run", Err: err}
	}
	if closed != nil {
		return errors.Join(closed, session.Close())
	}
	l.c = newClassifier(l, session, version)
	l.data = nil
	return nil
}

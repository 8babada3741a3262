//go:build cgo

package inference_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// benchDirEnv names a model directory to measure instead of the default model, such
// as one that training/shape wrote.
const benchDirEnv = "SALLYPORT_BENCH_MODEL"

func benchClassifier(b *testing.B) (c *inference.Classifier, network []byte) {
	b.Helper()
	src := inference.FS(defaultmodel.FS())
	read := func() ([]byte, error) { return readDefault(b) }
	if dir := os.Getenv(benchDirEnv); dir != "" {
		src = inference.Dir(dir, "")
		read = func() ([]byte, error) { return os.ReadFile(dir + "/model.onnx") }
	}
	c, err := inference.Open(src, inference.Options{RuntimeLib: onnxtest.Library(b), SkipSelfTest: true})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, c.Close()) })
	network, err = read()
	require.NoError(b, err)
	return c, network
}

func readDefault(b *testing.B) ([]byte, error) {
	b.Helper()
	f, err := defaultmodel.FS().Open("model.onnx")
	require.NoError(b, err)
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	require.NoError(b, err)
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// rows are n windows of exactly length ids.
func rows(c *inference.Classifier, n, length int) []inference.Window {
	windows := make([]inference.Window, n)
	for i := range windows {
		ids := make([]int32, length)
		for k := range ids {
			ids[k] = int32((i*31 + k*7) % c.Info().VocabSize)
		}
		windows[i].IDs = ids
	}
	return windows
}

// BenchmarkRun and BenchmarkBareRuntime compute the same batches. What the
// first takes longer is what this package costs.
func BenchmarkRun(b *testing.B) {
	c, _ := benchClassifier(b)
	for _, size := range [][2]int{{1, 32}, {4, 32}, {1, 128}, {1, 512}} {
		batch := rows(c, size[0], min(size[1], c.Info().MaxTokens))
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Run(inference.RunControl{}, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*size[0]*size[1])/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func BenchmarkBareRuntime(b *testing.B) {
	c, network := benchClassifier(b)
	options, err := ort.NewSessionOptions()
	require.NoError(b, err)
	defer func() { _ = options.Destroy() }()
	require.NoError(b, options.SetIntraOpNumThreads(1))
	session, err := ort.NewDynamicAdvancedSessionWithONNXData(network, []string{"input_ids", "attention_mask"}, []string{"logits"}, options)
	require.NoError(b, err)
	defer func() { _ = session.Destroy() }()
	for _, size := range [][2]int{{1, 32}, {4, 32}, {1, 128}, {1, 512}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			var ids, mask []int64
			for _, w := range rows(c, size[0], size[1]) {
				for _, id := range w.IDs {
					ids, mask = append(ids, int64(id)), append(mask, 1)
				}
			}
			shape := ort.NewShape(int64(size[0]), int64(size[1]))
			idTensor, err := ort.NewTensor(shape, ids)
			require.NoError(b, err)
			defer func() { _ = idTensor.Destroy() }()
			maskTensor, err := ort.NewTensor(shape, mask)
			require.NoError(b, err)
			defer func() { _ = maskTensor.Destroy() }()
			out, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(size[0]), 2))
			require.NoError(b, err)
			defer func() { _ = out.Destroy() }()
			in, res := []ort.Value{idTensor, maskTensor}, []ort.Value{out}
			b.ReportAllocs()
			for b.Loop() {
				if err := session.Run(in, res); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*size[0]*size[1])/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func BenchmarkWindows(b *testing.B) {
	c, _ := benchClassifier(b)
	text := strings.Repeat("The tool reads a file from the server and returns its content as text. See https://example.com/a?b=1 for more.\n", 300)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var windows []inference.Window
	for b.Loop() {
		windows, _ = c.Windows(windows[:0], text, 1000)
	}
}

func BenchmarkOpenDefault(b *testing.B) {
	lib := onnxtest.Library(b)
	for b.Loop() {
		c, err := inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: lib})
		if err != nil {
			b.Fatal(err)
		}
		_ = c.Close()
	}
}

package actors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// brokenRuntime stands between the pool and a model in ONNX Runtime, and breaks it.
type brokenRuntime struct {
	Classifier
	*breakage
}

// breakage is shared by all loads of the model.
type breakage struct {
	on atomic.Bool
	// free lets one stuck call go for each token, all once it is closed.
	free chan struct{}

	mu   sync.Mutex // of what follows
	rnd  *rand.Rand
	done map[string]int
}

func (b *breakage) roll() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.rnd.IntN(1000)
	switch {
	case n < 10:
		b.done["panic"]++
	case n < 25:
		b.done["error"]++
	case n < 30:
		b.done["stuck"]++
	case n < 40:
		b.done["endless"]++
	case n < 50:
		b.done["not a number"]++
	default:
		b.done["run"]++
	}
	return n
}

func (b *brokenRuntime) Run(control inference.RunControl, batch []inference.Window) ([]float32, error) {
	if !b.on.Load() {
		return b.Classifier.Run(control, batch)
	}
	switch n := b.roll(); {
	case n < 10:
		panic("native code")
	case n < 25:
		return nil, errors.New("runtime failed")
	case n < 30:
		<-b.free // whatever it is told
	case n < 40:
		for !control.Terminated() {
			// The real thing, over and over, until it is told to end.
			if _, err := b.Classifier.Run(control, batch); err != nil {
				return nil, err
			}
		}
		return nil, inference.ErrTerminated
	case n < 50:
		scores, err := b.Classifier.Run(control, batch)
		if err == nil {
			scores[len(scores)/2] = float32(math.NaN())
		}
		return scores, err
	}
	return b.Classifier.Run(control, batch)
}

// chaosSetting reads a number from the environment.
func chaosSetting(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

// The pool over a real runtime, under load from many callers, while runs panic, fail,
// get stuck, do not end and give no numbers, callers leave, and the pool's actor is
// stopped and spawned anew. Nobody waits for ever, no score is another text's, and at
// the end the pool works and leaves nothing behind.
//
// CHAOS_REQUESTS is how many requests are made (200000 are some minutes); CHAOS_SEED
// repeats a run as far as threads allow.
func TestPoolOverABrokenRuntime(t *testing.T) {
	requests := int(chaosSetting(t, "CHAOS_REQUESTS", 2000))
	seed := chaosSetting(t, "CHAOS_SEED", rand.Uint64())
	t.Logf("CHAOS_REQUESTS=%d CHAOS_SEED=%d", requests, seed)

	direct, err := inference.Open(inference.FS(onnxtest.Files(t, onnxtest.Good)), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	defer func() { require.NoError(t, direct.Close()) }()
	broken := &breakage{free: make(chan struct{}), rnd: rand.New(rand.NewPCG(seed, 1)), done: map[string]int{}}

	ready := make(chan struct{}, 1)
	h := NewModelPool(ModelPoolConfig{
		Workers: 2, Cache: 64, Hang: 150 * time.Millisecond, TerminateGrace: 50 * time.Millisecond, RestartLimit: 1 << 20,
		Restart: guard.Backoff{Min: time.Millisecond, Max: 5 * time.Millisecond},
		Probe:   guard.Backoff{Min: time.Millisecond, Max: 20 * time.Millisecond},
		Judge: ModelStage{Load: func(context.Context) (Classifier, error) {
			c, err := inference.Open(inference.FS(onnxtest.Files(t, onnxtest.Good)), inference.Options{RuntimeLib: onnxtest.Library(t)})
			if err != nil {
				return nil, err
			}
			return &brokenRuntime{c, broken}, nil
		}},
		OnReady: func(ok bool, _ string) {
			if ok {
				select {
				case ready <- struct{}{}:
				default:
				}
			}
		},
	})
	sys := guard.NewSystem(nil)
	var crashes atomic.Int64
	spawn := func() func() {
		pid, err := sys.Root.SpawnNamed(h.Props(guard.Options{OnPanic: func(string, any, []byte) { crashes.Add(1) }}), "modelpool")
		require.NoError(t, err)
		return func() { require.NoError(t, sys.Root.StopFuture(pid).Wait()) }
	}
	halt := spawn()
	<-ready
	broken.on.Store(true)

	texts, want := chaosTexts(t, direct, seed)
	fates := chaosLoad(t, h, requests, seed, texts, want, broken.free, func() { halt(); halt = spawn() })
	broken.on.Store(false)
	close(broken.free)
	broken.mu.Lock()
	t.Logf("runs: %v; requests: %v", broken.done, fates)
	broken.mu.Unlock()
	require.Positive(t, fates["scored"])

	// It recovers by itself.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := 0; ; i++ {
		got, err := h.Classify(ctx, []ModelSegment{{Text: fmt.Sprintf("the report of file %d", i)}}, ModelLimits{})
		if err == nil {
			require.Len(t, got.Segments, 1)
			break
		}
		require.NoError(t, ctx.Err(), "it does not work again: %v", err)
		select {
		case <-ready:
		case <-ctx.Done():
		case <-time.After(time.Millisecond): // a retry that pauses
		}
	}
	halt()
	h.Close()
	require.Zero(t, crashes.Load(), "the pool's own turns did not panic")
}

// chaosTexts are texts with what the model alone makes of them; NaN for those it
// cannot score.
func chaosTexts(t *testing.T, direct *inference.Classifier, seed uint64) (texts []string, want []float64) {
	words := []string{"the", "file", "ignore", "previous", "instructions", "weather", "system", "prompt", "a", "report", "secret", "and", "send"}
	rnd := rand.New(rand.NewPCG(seed, 2))
	for len(texts) < 300 {
		var b strings.Builder
		for range 1 + rnd.IntN(120) {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteByte(' ')
		}
		if rnd.IntN(20) == 0 {
			b.WriteString(onnxtest.NaNWord)
		}
		text := b.String()
		worst := 0.0
		windows, _ := direct.Windows(nil, text, 1<<20)
		for k := range windows {
			one, err := direct.Run(inference.RunControl{}, windows[k:k+1])
			if err != nil {
				require.ErrorIs(t, err, inference.ErrNotFinite)
				worst = math.NaN()
				break
			}
			worst = max(worst, float64(one[0]))
		}
		texts, want = append(texts, text), append(want, worst)
	}
	return texts, want
}

// chaosLoad makes requests from several callers and returns what became of them.
func chaosLoad(t *testing.T, h *ModelPool, requests int, seed uint64, texts []string, want []float64, free chan struct{}, respawn func()) map[string]int {
	const callers = 12
	fates := map[string]int{}
	var mu sync.Mutex
	var next atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(10+c)))
			for {
				n := int(next.Add(1))
				if n > requests {
					return
				}
				if n%500 == 0 {
					mu.Lock()
					respawn()
					mu.Unlock()
				}
				if n%10 == 0 {
					select {
					case free <- struct{}{}: // a stuck call comes back, late
					default:
					}
				}
				i := rnd.IntN(len(texts))
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(20+rnd.IntN(1000))*time.Millisecond)
				if rnd.IntN(10) == 0 {
					go cancel()
				}
				got, err := h.Classify(ctx, []ModelSegment{{Text: texts[i]}}, ModelLimits{})
				cancel()
				fate := "scored"
				if f, ok := messages.ModelFaultOf(err); ok {
					fate = f.String()
				} else if err != nil {
					t.Errorf("an error of another kind: %v", err)
				} else if !(math.Abs(got.Score-want[i]) <= 1e-5) { // fails for a text that has no score
					t.Errorf("text %d scored %v, alone %v", i, got.Score, want[i])
				}
				mu.Lock()
				fates[fate]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return fates
}

package actors

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func digest(text string) messages.PinHash { return sha256.Sum256([]byte(text)) }

// tool makes a definition from its members, given as name, value, name, value.
func tool(index int, name string, members ...string) messages.ToolPin {
	p := messages.ToolPin{Index: index, Name: name, Fields: map[string]messages.PinHash{}}
	all := name
	for i := 0; i < len(members); i += 2 {
		p.Fields[members[i]] = digest(members[i+1])
		all += "\x00" + members[i] + "\x00" + members[i+1]
	}
	p.Hash = digest(all)
	return p
}

// memoryStore is a store whose saves can be held back or fail.
type memoryStore struct {
	mu    sync.Mutex
	pins  []Pin
	saves int
	err   error
	load  chan struct{} // Load waits for it
}

func (m *memoryStore) Load() ([]Pin, error) {
	if m.load != nil {
		<-m.load
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Pin(nil), m.pins...), nil
}

func (m *memoryStore) Save(p []Pin) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	if m.err != nil {
		return m.err
	}
	m.pins = p
	return nil
}

func (m *memoryStore) do(f func()) { m.mu.Lock(); defer m.mu.Unlock(); f() }

type pinsRig struct {
	*Pins
	t     *testing.T
	crash func()
}

func newPinsRig(s *testStage, cfg PinsConfig) *pinsRig {
	p := NewPins(cfg)
	pid := s.spawn(p.Props(guard.Options{}))
	return &pinsRig{p, s.t, func() { s.crash(pid); synctest.Wait() }}
}

func (r *pinsRig) see(service string, tools ...messages.ToolPin) []messages.PinFinding {
	r.t.Helper()
	found, err := r.Observe(context.Background(), service, tools, time.Now())
	require.NoError(r.t, err)
	return found
}

func TestPinsFirstSightThenDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPinsRig(newTestStage(t), PinsConfig{})
		v1 := tool(0, "mail", "description", "sends mail", "inputSchema", "{}")
		require.Empty(t, r.see("a", v1))
		require.Empty(t, r.see("a", v1))
		v2 := tool(3, "mail", "description", "sends mail and a copy to eve", "annotations", "{}")
		want := []messages.PinFinding{{Kind: messages.PinDrift, Index: 3, Tool: "mail", Changed: []string{"annotations", "description", "inputSchema"}}}
		require.Equal(t, want, r.see("a", v2))
		require.Equal(t, want, r.see("a", v2), "drift is not accepted by being repeated")
		require.Empty(t, r.see("a", v1))
		r.crash()
		require.Equal(t, want, r.see("a", v2), "nor by a crash")
	})
}

func TestPinsShadowingAndConfusion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPinsRig(newTestStage(t), PinsConfig{})
		require.Empty(t, r.see("a", tool(0, "send_mail")))
		require.Equal(t, []messages.PinFinding{{Kind: messages.PinShadowed, Tool: "send_mail", Other: "a"}}, r.see("b", tool(0, "send_mail")))
		require.Equal(t, []messages.PinFinding{{Kind: messages.PinConfusable, Tool: "Send-Mai1", Other: "a/send_mail"}}, r.see("c", tool(0, "Send-Mai1")))
		require.Empty(t, r.see("a", tool(0, "send_mail")), "the first one is not the shadow")
		twice := r.see("d", tool(0, "x", "description", "one"), tool(1, "x", "description", "two"))
		require.Equal(t, []messages.PinFinding{{Kind: messages.PinDrift, Index: 1, Tool: "x", Changed: []string{"description"}}}, twice,
			"the pinned definition in front must not cover a changed one behind it")
	})
}

func TestPinsAreRefusedAndNotForgottenWhenFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPinsRig(newTestStage(t), PinsConfig{Limit: 1})
		require.Empty(t, r.see("a", tool(0, "first")))
		require.Equal(t, []messages.PinFinding{{Kind: messages.PinUnpinned, Tool: "second"}}, r.see("a", tool(0, "second")))
		require.Len(t, r.see("a", tool(0, "first", "description", "other")), 1, "the first is still held")
	})
}

func TestNoServiceTakesAllPins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPinsRig(newTestStage(t), PinsConfig{Limit: 16})
		require.Empty(t, r.see("greedy", tool(0, "a"), tool(1, "b")))
		require.Equal(t, []messages.PinFinding{{Kind: messages.PinUnpinned, Index: 2, Tool: "c"}}, r.see("greedy", tool(0, "a"), tool(1, "b"), tool(2, "c")))
		require.Empty(t, r.see("modest", tool(0, "d")))
		require.Len(t, r.see("modest", tool(0, "d", "description", "other")), 1, "the others are still held")
	})
}

func TestPinsAreSavedTogetherAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{}
		r := newPinsRig(newTestStage(t), PinsConfig{Store: store})
		require.NoError(t, r.Loaded(t.Context()))
		time.Sleep(2 * pinsSaveAfter) // what a fresh start writes
		var before int
		store.do(func() { before = store.saves })
		for _, name := range []string{"a", "b", "c"} {
			r.see("s", tool(0, name))
		}
		time.Sleep(2 * pinsSaveAfter)
		store.do(func() {
			require.Equal(t, before+1, store.saves)
			require.Len(t, store.pins, 3)
		})
		r.see("s", tool(0, "d"))
		require.NoError(t, r.Flush(t.Context()))
		store.do(func() { require.Len(t, store.pins, 4) })
		require.NoError(t, r.Flush(t.Context()), "nothing to do")
	})
}

func TestPinsWaitForTheStoreAndTakeApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v1, v2 := tool(0, "mail", "description", "one"), tool(0, "mail", "description", "two")
		store := &memoryStore{load: make(chan struct{}), pins: []Pin{{Service: "a", Tool: "mail", Hash: v1.Hash, Fields: v1.Fields}}}
		r := newPinsRig(newTestStage(t), PinsConfig{Store: store})
		early := make(chan []messages.PinFinding, 1)
		go func() { early <- r.see("a", v2) }()
		synctest.Wait()
		require.Empty(t, early, "no first sight before the store is read")
		close(store.load)
		require.Len(t, <-early, 1)
		require.NoError(t, r.Flush(t.Context()))

		// A person approves the new definition in the file.
		store.do(func() {
			require.Equal(t, v2.Hash, store.pins[0].Seen.Hash)
			store.pins[0].Hash, store.pins[0].Fields, store.pins[0].Approved, store.pins[0].Seen = v2.Hash, v2.Fields, true, nil
		})
		n, err := r.Reload(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Empty(t, r.see("a", v2))
		require.Len(t, r.see("a", v1), 1)
	})
}

func TestPinsApprovalIsNotOverwrittenByASave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v1, v2 := tool(0, "mail", "description", "one"), tool(0, "mail", "description", "two")
		store := &memoryStore{}
		r := newPinsRig(newTestStage(t), PinsConfig{Store: store})
		r.see("a", v1)
		require.NoError(t, r.Flush(t.Context()))
		store.do(func() { store.pins[0].Hash, store.pins[0].Fields, store.pins[0].Approved = v2.Hash, v2.Fields, true })
		r.see("a", tool(1, "another"))
		require.NoError(t, r.Flush(t.Context()))
		store.do(func() {
			require.Len(t, store.pins, 2)
			for _, p := range store.pins {
				if p.Tool == "mail" {
					require.True(t, p.Approved)
					require.Equal(t, v2.Hash, p.Hash)
				}
			}
		})
		require.Empty(t, r.see("a", v2), "and it is in force")
	})
}

func TestPinsFailedSaveIsToldAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("no space left on device")
		store := &memoryStore{err: full}
		var told []error
		r := newPinsRig(newTestStage(t), PinsConfig{Store: store, OnSaved: func(err error) { told = append(told, err) }})
		r.see("a", tool(0, "mail"))
		require.ErrorIs(t, r.Flush(t.Context()), full)
		store.do(func() { store.err = nil })
		time.Sleep(2 * pinsSaveAfter)
		synctest.Wait()
		store.do(func() { require.Len(t, store.pins, 1) })
		require.ErrorIs(t, told[0], full)
		require.NoError(t, told[len(told)-1])
	})
}

func TestPinsWithoutAnActor(t *testing.T) {
	p := NewPins(PinsConfig{})
	_, err := p.Observe(t.Context(), "a", nil, time.Now())
	require.ErrorIs(t, err, guard.ErrDown)
	require.NoError(t, p.Loaded(t.Context()))
}

func TestPinFile(t *testing.T) {
	file := PinFile(filepath.Join(t.TempDir(), "pins.json"))
	pins, err := file.Load()
	require.NoError(t, err)
	require.Empty(t, pins, "a file that is not there yet")
	v1 := tool(0, "mail", "description", "one")
	want := []Pin{{Service: "a", Tool: "mail", Hash: v1.Hash, Fields: v1.Fields, FirstSeen: time.Unix(1, 0).UTC(), Approved: true,
		Seen: &SeenPin{Hash: digest("x"), At: time.Unix(2, 0).UTC()}}}
	require.NoError(t, file.Save(want))
	got, err := file.Load()
	require.NoError(t, err)
	require.Equal(t, want, got)
	entries, err := os.ReadDir(filepath.Dir(string(file)))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")

	for name, text := range map[string]string{
		"syntax":        `{"version":1,`,
		"unknown field": `{"version":1,"pins":[{"servise":"a"}]}`,
		"version":       `{"version":2,"pins":[]}`,
		"short hash":    `{"version":1,"pins":[{"service":"a","tool":"t","hash":"abcd","first_seen":"2026-01-01T00:00:00Z"}]}`,
		"no hex":        `{"version":1,"pins":[{"service":"a","tool":"t","hash":"zz` + digestText("x")[2:] + `","first_seen":"2026-01-01T00:00:00Z"}]}`,
	} {
		require.NoError(t, os.WriteFile(string(file), []byte(text), 0o600))
		_, err := file.Load()
		require.ErrorContains(t, err, "load pins", name)
	}
	require.Error(t, PinFile(filepath.Join(t.TempDir(), "no", "such", "dir")).Save(nil))
}

// A definition is drift exactly when it differs from the first one of its name, and
// Changed names exactly the members that differ.
func TestPinBookProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newPinBook(100, look)
		first := map[string]messages.ToolPin{}
		for range rapid.IntRange(1, 20).Draw(t, "lists") {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "tool")
			var members []string
			for _, m := range []string{"description", "title"} {
				if v := rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, m); v != "" {
					members = append(members, m, v)
				}
			}
			seen := tool(0, name, members...)
			found, _ := b.observe("s", []messages.ToolPin{seen}, time.Unix(0, 0))
			pinned, known := first[name]
			if !known {
				first[name] = seen
				require.Empty(t, found)
				continue
			}
			if pinned.Hash == seen.Hash {
				require.Empty(t, found)
				continue
			}
			require.Len(t, found, 1)
			for _, m := range []string{"description", "title"} {
				before, was := pinned.Fields[m]
				after, is := seen.Fields[m]
				require.Equal(t, was != is || before != after, slices.Contains(found[0].Changed, m), m)
			}
		}
	})
}

func digestText(s string) string {
	text, err := digest(s).MarshalText()
	if err != nil {
		panic(err)
	}
	return string(text)
}

// oneAtATime is a store that counts those who use it together.
type oneAtATime struct {
	memoryStore
	in, most int
	saving   chan struct{} // Save waits for it
}

func (s *oneAtATime) use() (done func()) {
	s.do(func() { s.in++; s.most = max(s.most, s.in) })
	return func() { s.do(func() { s.in-- }) }
}

func (s *oneAtATime) Load() ([]Pin, error) { defer s.use()(); return s.memoryStore.Load() }
func (s *oneAtATime) Save(p []Pin) error {
	defer s.use()()
	<-s.saving
	return s.memoryStore.Save(p)
}

// A reload and a crash do not let two at the store: a save that is overtaken would put
// older pins in the place of newer ones.
func TestPinsUseTheirStoreOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &oneAtATime{saving: make(chan struct{})}
		r := newPinsRig(newTestStage(t), PinsConfig{Store: store})
		require.NoError(t, r.Loaded(t.Context()))
		r.see("a", tool(0, "first"))
		time.Sleep(2 * pinsSaveAfter) // a save is under way
		reloaded := make(chan error, 1)
		go func() { _, err := r.Reload(t.Context()); reloaded <- err }()
		synctest.Wait()
		r.see("a", tool(0, "second"))
		r.crash()
		require.Error(t, <-reloaded, "the crash is told")
		time.Sleep(2 * pinsSaveAfter) // another save is due
		close(store.saving)
		require.NoError(t, r.Flush(t.Context()))
		store.do(func() {
			require.Equal(t, 1, store.most)
			require.Len(t, store.pins, 2)
		})
	})
}

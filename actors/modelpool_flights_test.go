package actors

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
)

// The table against a map, with keys that share their first bytes, so that places
// are shared.
func TestFlightTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table flightTable
		model := map[flightKey]*flight{}
		key := rapid.Custom(func(t *rapid.T) flightKey {
			return flightKey{stage: rapid.IntRange(0, 1).Draw(t, "stage"),
				key: cacheKey{0: byte(rapid.IntRange(0, 3).Draw(t, "low")), 1: byte(rapid.IntRange(0, 3).Draw(t, "high")), 15: byte(rapid.IntRange(0, 40).Draw(t, "rest"))}}
		})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				for range rapid.IntRange(1, 50).Draw(t, "n") {
					k := key.Draw(t, "key")
					if model[k] == nil {
						f := &flight{need: batch.Need{Group: k.stage}, window: &inference.Window{Key: k.key}}
						model[k] = f
						table.add(f)
					}
				}
			},
			"remove": func(t *rapid.T) {
				if f := model[key.Draw(t, "key")]; f != nil {
					delete(model, f.key())
					table.remove(f)
					require.Nil(t, f.chain)
				}
			},
			"clear": func(t *rapid.T) {
				seen := map[*flight]bool{}
				table.clear(func(f *flight) { seen[f] = true })
				require.Len(t, seen, len(model))
				for _, f := range model {
					require.True(t, seen[f])
				}
				clear(model)
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(model), table.n)
				k := key.Draw(t, "key")
				require.Same(t, model[k], table.get(k))
				for k, f := range model {
					require.Same(t, f, table.get(k))
				}
			},
		})
	})
}

package batch

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQueueKeepsArrivalOrderAmongEquals(t *testing.T) {
	var q Queue[*item]
	_, ok := q.Head()
	require.False(t, ok)
	a, b, c, d := at(5, 1), at(5, 2), at(5, 3), at(1, 4)
	for _, it := range []*item{a, b, c, d} {
		q.Push(it)
	}
	head, ok := q.Head()
	require.True(t, ok)
	require.Same(t, d, head)
	require.Equal(t, []*item{d, a, b, c}, q.Clear())
	require.Zero(t, q.Len())
	require.Zero(t, q.Tokens())
}

func chosen(queue []*item, at []int) (out []*item) {
	for _, i := range at {
		out = append(out, queue[i])
	}
	return out
}

// The queue against a plain sorted slice, and what is taken out of it against a plan of
// that.
func TestQueueModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[*item]
		var model []*item
		check := func(t *rapid.T) {
			require.Equal(t, len(model), q.Len())
			total, group := 0, 0
			queued := listed(&q)
			for i, it := range model {
				require.Same(t, it, queued[i])
				total += it.need.Tokens
				if it.need.Group == 1 {
					group += it.need.Tokens
				}
			}
			require.Equal(t, total, q.Tokens())
			require.Equal(t, group, q.GroupTokens(1))
			when := epoch.Add(time.Duration(rapid.IntRange(-60, 210).Draw(t, "when")) * time.Millisecond)
			ahead := [3]int{}
			for _, it := range model {
				if !it.need.Urgent.After(when) {
					ahead[it.need.Group] += it.need.Tokens
				}
			}
			for g, want := range ahead {
				require.Equal(t, want, q.Ahead(when, g))
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				it := genItem(t)
				q.Push(it)
				model = append(model, it)
				slices.SortStableFunc(model, func(a, b *item) int { return a.need.Urgent.Compare(b.need.Urgent) })
			},
			"remove": func(t *rapid.T) {
				if len(model) == 0 {
					require.False(t, q.Remove(at(1, 1)))
					return
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
				require.True(t, q.Remove(model[i]))
				require.False(t, q.Remove(model[i]))
				model = slices.Delete(model, i, i+1)
			},
			"next": func(t *rapid.T) {
				now := epoch.Add(50 * time.Millisecond)
				c := Plan(model, now, nil)
				batch, expired := q.Next(now, nil)
				require.Equal(t, chosen(model, c.Batch), batch)
				require.Equal(t, chosen(model, c.Expired), expired)
				model = slices.DeleteFunc(model, func(it *item) bool {
					return slices.Contains(batch, it) || slices.Contains(expired, it)
				})
			},
			"": check,
		})
	})
}

package rules

import (
	"sort"

	lru "github.com/hashicorp/golang-lru/v2"
)

// index finds the steps that concern an event by its kind, service, tool and method, so that a call touches no other rule.
type index struct {
	steps  []*step
	byTool map[string][]int // steps whose tool is a list of exact names
	open   []int            // all others, in order

	// memo remembers the answer per (kind, service, tool, method). It is a cache of a pure function with a lock inside, and no
	// actor: an actor hop would cost more than the look-up it saves. Two queues, so that a client which invents tool names
	// cannot push out the names in use.
	memo *lru.TwoQueueCache[lookup, []*step]
}

type lookup struct {
	service, tool, method string
	result                bool
}

const (
	memoEntries  = 4096
	maxMemoBytes = 512 // of the names together; longer ones are looked up afresh every time
)

func newIndex(steps []*step) *index {
	x := &index{steps: steps, byTool: map[string][]int{}}
	for i, s := range steps {
		names, exact := s.decl.tool.exactNames()
		if !exact {
			x.open = append(x.open, i)
			continue
		}
		for _, name := range names {
			if list := x.byTool[name]; len(list) == 0 || list[len(list)-1] != i {
				x.byTool[name] = append(list, i)
			}
		}
	}
	memo, err := lru.New2Q[lookup, []*step](memoEntries)
	if err != nil {
		panic("rules: index memo: " + err.Error()) // only a size below one is refused
	}
	x.memo = memo
	return x
}

// find returns the steps whose kind, service, tool and method match, in rule order.
func (x *index) find(ev *Event) []*step {
	key := lookup{service: ev.Service, tool: ev.Tool, method: ev.Method, result: ev.Result}
	small := len(ev.Service)+len(ev.Tool)+len(ev.Method) <= maxMemoBytes
	if small {
		if found, ok := x.memo.Get(key); ok {
			return found
		}
	}
	found := x.search(ev)
	if small {
		x.memo.Add(key, found)
	}
	return found
}

func (x *index) search(ev *Event) []*step {
	var hits []int
	for _, list := range [...][]int{x.byTool[ev.Tool], x.open} {
		for _, i := range list {
			if x.steps[i].concerns(ev) {
				hits = append(hits, i)
			}
		}
	}
	sort.Ints(hits)
	out := make([]*step, len(hits))
	for i, at := range hits {
		out[i] = x.steps[at]
	}
	return out
}

// concerns checks what the memo's key decides.
func (s *step) concerns(ev *Event) bool {
	d := s.decl
	if (d.kind == resultStep) != ev.Result {
		return false
	}
	switch {
	case d.method != nil:
		if !d.method.match(ev.Method) {
			return false
		}
	case d.kind != resultStep && ev.Method != MethodToolsCall:
		return false
	}
	return d.tool.match(ev.Tool) && d.service.match(ev.Service)
}

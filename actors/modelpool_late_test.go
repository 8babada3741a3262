package actors

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
)

// onFault is a recorder that calls back in the pool's turn at every fault.
type onFault struct {
	*modelRecorder
	call func()
}

func (o onFault) Fault(f messages.ModelFault) { o.call(); o.modelRecorder.Fault(f) }

// A run counts before anybody is answered by it: it would count as work of the model's
// that came after the next request of a caller who is quick, and hide that the model did
// nothing for that one. A caller whose own window failed is answered too.
func TestARunCountsBeforeItsAnswers(t *testing.T) {
	for name, patience := range map[string]map[string]time.Duration{
		"the scored window is the first": {"fine": time.Second, "poison": time.Minute},
		"the failed window is the first": {"fine": time.Minute, "poison": time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r *rig
				var counted uint64
				r = newRig(t, &fakeModel{run: slowly(100 * time.Millisecond)}, func(c *ModelPoolConfig) {
					c.Observer = onFault{c.Observer.(*modelRecorder), func() { counted = r.workedOf(messages.StageJudge) }}
				}).ready()
				defer r.stop()
				busy := r.busy(100 * time.Millisecond)
				r.model.run = failing("poison", errRuntime)
				var callers sync.WaitGroup
				callers.Go(func() {
					if _, err := r.read(patience["fine"], "fine"); err != nil {
						t.Error(err)
					}
				})
				callers.Go(func() {
					if _, err := r.read(patience["poison"], "poison"); err == nil {
						t.Error("poison was scored")
					}
				})
				callers.Wait()
				require.NoError(t, <-busy)
				require.EqualValues(t, 2, counted, "busy's run, and the one that failed poison")
			})
		})
	}
}

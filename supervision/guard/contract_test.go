package guard_test

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// The tests of this file state what the pinned version of the actor library does
// and this program relies on. They run through the guarding mailbox, because
// that is how the program uses it.

func TestContractStartedComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		var seen []string
		pid := s.Root.Spawn(props(func(c actor.Context) {
			switch c.Message().(type) {
			case *actor.Started:
				seen = append(seen, "started")
			case *ask:
				seen = append(seen, "user")
			}
		}, guard.Options{}))
		send(s, pid, 1)
		synctest.Wait()
		require.Equal(t, []string{"started", "user"}, seen)
	})
}

func TestContractOrderPerSender(t *testing.T) {
	const senders, each = 8, 2000
	s := newSystem(t)
	type numbered struct{ sender, n int }
	last := make([]int, senders)
	for i := range last {
		last[i] = -1
	}
	outOfOrder := 0
	pid := s.Root.Spawn(props(func(c actor.Context) {
		switch m := c.Message().(type) {
		case numbered:
			if m.n != last[m.sender]+1 {
				outOfOrder++
			}
			last[m.sender] = m.n
		default:
			echo(c)
		}
	}, guard.Options{Capacity: 2 * senders * each}))
	var wg sync.WaitGroup
	for sender := range senders {
		wg.Go(func() {
			for n := range each {
				s.Root.Send(pid, numbered{sender, n})
			}
		})
	}
	wg.Wait()
	_, err := answer(t, send(s, pid, 0).Promise) // behind all of them
	require.NoError(t, err)
	require.Zero(t, outOfOrder)
	for _, n := range last {
		require.Equal(t, each-1, n)
	}
	stopAndWait(t, s, pid)
}

// scripted is a parent that decides by directive and records what it is told.
type scripted struct {
	child     *actor.Props
	directive actor.Directive
	pid       **actor.PID
	record    func(string)
}

func (p *scripted) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		pid, err := c.SpawnNamed(p.child, "child")
		if err != nil {
			panic(err)
		}
		*p.pid = pid
	case *actor.Terminated:
		p.record("terminated " + m.Who.Id)
	}
}

func (p *scripted) HandleFailure(_ *actor.ActorSystem, s actor.Supervisor, child *actor.PID,
	_ *actor.RestartStatistics, _, _ any) {
	p.record("failure")
	if p.directive == actor.StopDirective {
		s.StopChildren(child)
		return
	}
	s.RestartChildren(child)
}

func TestContractSupervisorDecidesAndIsToldOfTheEnd(t *testing.T) {
	cases := map[string]struct {
		directive actor.Directive
		want      []string
	}{
		"restart": {actor.RestartDirective, []string{"new", "started", "failure", "old restarting", "new", "started"}},
		"stop":    {actor.StopDirective, []string{"new", "started", "failure", "old stopping", "stopped", "terminated parent/child"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSystem(t)
				var mu sync.Mutex
				var got []string
				record := func(what string) { mu.Lock(); got = append(got, what); mu.Unlock() }
				var pid *actor.PID
				child := guard.Props(func() actor.Actor {
					record("new")
					crashed := false
					return actor.ReceiveFunc(func(c actor.Context) {
						switch c.Message().(type) {
						case *actor.Started:
							record("started")
						case *actor.Restarting:
							if crashed {
								record("old restarting")
							}
						case *actor.Stopping:
							if crashed {
								record("old stopping")
							}
						case *actor.Stopped:
							record("stopped")
						case *ask:
							crashed = true
							panic("asked to")
						}
					})
				}, guard.Options{})
				parent, err := s.Root.SpawnNamed(guard.Props(func() actor.Actor {
					return &scripted{child: child, directive: tc.directive, pid: &pid, record: record}
				}, guard.Options{}), "parent")
				require.NoError(t, err)
				synctest.Wait()
				a := send(s, pid, -1)
				synctest.Wait()
				_, err = a.Await(t.Context())
				require.ErrorIs(t, err, guard.ErrPanic)
				require.Equal(t, tc.want, got)
				s.Root.Stop(parent)
				synctest.Wait()
			})
		})
	}
}

func TestContractNameIsFreeInTheTerminatedHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		spawned := 0
		parent := s.Root.Spawn(props(func(c actor.Context) {
			switch c.Message().(type) {
			case *actor.Started, *actor.Terminated:
				if spawned == 3 {
					return
				}
				pid, err := c.SpawnNamed(props(echo, guard.Options{}), "fixed")
				require.NoError(t, err)
				spawned++
				c.Stop(pid)
			}
		}, guard.Options{}))
		synctest.Wait()
		require.Equal(t, 3, spawned)
		s.Root.Stop(parent)
		synctest.Wait()
	})
}

func TestContractHandleIsSetBeforeTheFirstMessage(t *testing.T) {
	s := newSystem(t)
	var self *actor.PID
	pid := s.Root.Spawn(props(echo, guard.Options{}, actor.WithOnInit(func(c actor.Context) { self = c.Self() })))
	require.True(t, pid.Equal(self), "OnInit runs inside Spawn, with the PID known")
	stopAndWait(t, s, pid)
}

// The library makes an actor known before its mailbox can run: what is sent then
// must neither panic on the sender nor overtake Started.
func TestMessagesBeforeTheMailboxRunsWaitForStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		var seen []string
		early := []*ask{{Promise: guard.NewPromise[int](), n: 1}, {Promise: guard.NewPromise[int](), n: 2}, {Promise: guard.NewPromise[int](), n: 3}}
		pid := s.Root.Spawn(props(func(c actor.Context) {
			switch m := c.Message().(type) {
			case *actor.Started:
				seen = append(seen, "started")
			case *ask:
				seen = append(seen, "user")
				m.Resolve(m.n)
			}
		}, guard.Options{Capacity: 2}, actor.WithOnInit(func(c actor.Context) {
			c.Unwatch(c.Self()) // a system message
			for _, a := range early {
				s.Root.Send(c.Self(), a)
			}
		})))
		synctest.Wait()
		require.Equal(t, []string{"started", "user", "user"}, seen)
		v, err := early[1].Await(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, v)
		_, err = early[2].Await(t.Context())
		require.ErrorIs(t, err, guard.ErrFull)
		s.Root.Stop(pid)
		synctest.Wait()
	})
}

func TestContractIdleActorsHoldNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		before := runtime.NumGoroutine()
		pids := make([]*actor.PID, 200)
		for i := range pids {
			pids[i] = s.Root.Spawn(props(echo, guard.Options{}))
			send(s, pids[i], i)
		}
		synctest.Wait()
		// Every remaining goroutine of the bubble would be blocked here and counted.
		require.LessOrEqual(t, runtime.NumGoroutine(), before+20, "200 idle actors")
		for _, pid := range pids {
			s.Root.Stop(pid)
		}
		synctest.Wait()
	})
}

func TestContractQuietDeadLettersStartNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		type tick struct{ guard.Quiet }
		nobody := actor.NewPID(s.Address(), "nobody")
		s.Root.Send(nobody, tick{})
		a := send(s, nobody, 1)
		_, err := a.Await(t.Context())
		require.ErrorIs(t, err, guard.ErrStopped)
		// A throttle goroutine would still wait for its ticker and fail the bubble.
	})
}

func TestDeadLettersOfTheHostAreLeftAlone(t *testing.T) {
	s := guard.NewSystem(nil)
	t.Cleanup(guard.DeadLetters(s, "sallyport"))
	host := send(s, actor.NewPID(s.Address(), "host-actor"), 1)
	mine := send(s, actor.NewPID(s.Address(), "sallyport/rules"), 1)
	_, err := answer(t, mine.Promise)
	require.ErrorIs(t, err, guard.ErrStopped)
	require.False(t, host.Settled())
}

package guard_test

import (
	"context"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// One hop: a fresh promise sent and awaited. The bare worker is the floor.

func BenchmarkHopWarm(b *testing.B) {
	w := guard.NewWarm(8)
	defer w.Close()
	benchHop(b, guard.Options{Dispatcher: w})
}

func BenchmarkHopStockDispatcher(b *testing.B) { benchHop(b, guard.Options{}) }

func benchHop(b *testing.B, o guard.Options) {
	s := guard.NewSystem(nil)
	pid := s.Root.Spawn(props(echo, o))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := send(s, pid, 1).Await(ctx); err != nil {
			b.Fatal(err)
		}
	}
	s.Root.Stop(pid)
}

func BenchmarkHopBareChannelWorker(b *testing.B) {
	ch := make(chan *ask, 64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for a := range ch {
			a.Resolve(a.n)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		a := &ask{Promise: guard.NewPromise[int](), n: 1}
		ch <- a
		if _, err := a.Await(ctx); err != nil {
			b.Fatal(err)
		}
	}
	close(ch)
	<-done
}

func BenchmarkHopParallelWarm(b *testing.B) {
	w := guard.NewWarm(8)
	defer w.Close()
	s := guard.NewSystem(nil)
	pid := s.Root.Spawn(props(echo, guard.Options{Dispatcher: w}))
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := send(s, pid, 1).Await(context.Background()); err != nil {
				b.Error(err)
				return
			}
		}
	})
	s.Root.Stop(pid)
}

func BenchmarkSpawnAndStop(b *testing.B) {
	s := guard.NewSystem(nil)
	b.ReportAllocs()
	for b.Loop() {
		pid := s.Root.Spawn(guard.Props(func() actor.Actor { return actor.ReceiveFunc(echo) }, guard.Options{}))
		s.Root.Stop(pid)
	}
}

package supervision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Limits of restarting; the specification fixes them.
const (
	// MaxRestarts panics of one actor inside RestartWindow are answered with an
	// immediate restart; one more takes the actor down and readiness with it.
	MaxRestarts = 10
	// RestartWindow is also how long an actor must hold before readiness returns.
	RestartWindow = 60 * time.Second
	// watchInterval is the time between two questions of the watchdog.
	watchInterval = 5 * time.Second
)

// The parts that readiness depends on from the start. An actor that went over its
// restart limit adds a part of its own for as long as it lasts.
const (
	PartListeners   = "listeners"
	PartRules       = "rules"
	PartModel       = "model"
	PartDegradation = "degradation"
)

// Budgets are how long the way out may take.
type Budgets struct {
	// Drain is how long calls are still served after readiness is withdrawn.
	Drain time.Duration
	// Grace is how long calls in flight may take after that.
	Grace time.Duration
	// Cleanup is what all further steps may take in total.
	Cleanup time.Duration
}

// Step is something that the owner of the tree wants done on the way out, after
// the audit trail is closed.
type Step struct {
	// Name is for the log.
	Name string
	// Run should end with ctx. One that does not is left behind.
	Run func(ctx context.Context) error
}

// Config is everything a tree needs. Rules.Build is required.
type Config struct {
	// Name is the id of the root actor; empty is "sallyport".
	Name string
	// System is the host's actor system; nil makes one of our own. Everything is
	// spawned under the root actor, and nothing else of the system is touched.
	System *actor.ActorSystem
	// Log takes panics, restarts and the steps of the way out; nil is silent.
	Log *zap.Logger
	// Observer is told the same, for metrics and audit; nil is nobody.
	Observer Observer
	// Budgets are those of Stop.
	Budgets Budgets
	// Finish are the last steps of Stop, in order.
	Finish []Step

	// Front is the server to own; nil when the host has its own.
	Front actors.FrontServer
	// Audit configures the audit trail, of which the Observer is told as well; without
	// a sink there is none.
	Audit actors.AuditConfig
	// Health, Rules, Traces and Pins configure their actors. Their clocks and what they
	// tell of are the tree's: Now and the Observer take their place.
	Health actors.HealthConfig
	Rules  actors.RulesConfig
	Traces actors.TracesConfig
	Pins   actors.PinsConfig
	// Model configures the model pool, whose OnReady is called when readiness has been
	// told; nil has none.
	Model *actors.ModelPoolConfig
	// Check answers for the gate; nil has no gate.
	Check func(context.Context, *decision.Exchange) decision.Verdict

	// Backoff is the delay before an actor that was taken down comes back; zero is
	// 100 ms to 10 s.
	Backoff guard.Backoff
	// Now is the clock and Random the jitter, in [0, 1); nil are the real ones.
	Now    func() time.Time
	Random func() float64

	// decorate changes the props of every actor; a test uses it to make them crash.
	decorate func(name string, p *actor.Props) *actor.Props
}

// Observer is told what happens in the tree. Its methods are called on actors'
// turns and on callers' goroutines: they must not block.
type Observer interface {
	// ActorRestarted counts a restart or respawn; shards share a label.
	ActorRestarted(label string)
	// PhaseChanged and HealthChanged tell every transition, in order.
	PhaseChanged(messages.PhaseChange)
	HealthChanged(messages.HealthView)
	// Reloaded tells every reload of the rules, the first one included.
	Reloaded(messages.ReloadReport)
	// AuditWritten and AuditLost count audit lines.
	AuditWritten()
	AuditLost(error)
	// AuditTended tells, once a second, whether the trail followed a rotation and was
	// forced to disk.
	AuditTended(error)
	// TraceEvicted counts keys that a full shard forgot, TraceShardLost those that a
	// crash cost.
	TraceEvicted()
	TraceShardLost(shard, keys int)
	// PinsSaved tells every attempt to save the pins.
	PinsSaved(error)
	// Stepped tells every step of the way out.
	Stepped(StepReport)
}

// NoObserver is an Observer that does nothing, to embed or to use.
type NoObserver struct{}

var _ Observer = NoObserver{}

// ActorRestarted does nothing.
func (NoObserver) ActorRestarted(string) {}

// PhaseChanged does nothing.
func (NoObserver) PhaseChanged(messages.PhaseChange) {}

// HealthChanged does nothing.
func (NoObserver) HealthChanged(messages.HealthView) {}

// Reloaded does nothing.
func (NoObserver) Reloaded(messages.ReloadReport) {}

// AuditWritten does nothing.
func (NoObserver) AuditWritten() {}

// AuditLost does nothing.
func (NoObserver) AuditLost(error) {}

// AuditTended does nothing.
func (NoObserver) AuditTended(error) {}

// TraceEvicted does nothing.
func (NoObserver) TraceEvicted() {}

// TraceShardLost does nothing.
func (NoObserver) TraceShardLost(int, int) {}

// PinsSaved does nothing.
func (NoObserver) PinsSaved(error) {}

// Stepped does nothing.
func (NoObserver) Stepped(StepReport) {}

func (c *Config) complete() error {
	if c.Rules.Build == nil {
		return errors.New("supervision: Rules.Build is required")
	}
	for name, d := range map[string]time.Duration{
		"Drain": c.Budgets.Drain, "Grace": c.Budgets.Grace, "Cleanup": c.Budgets.Cleanup,
	} {
		if d < 0 {
			return fmt.Errorf("supervision: Budgets.%s is negative", name)
		}
	}
	if c.Name == "" {
		c.Name = "sallyport"
	}
	if c.Log == nil {
		c.Log = zap.NewNop()
	}
	if c.Observer == nil {
		c.Observer = NoObserver{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = jitter
	}
	return nil
}

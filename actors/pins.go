package actors

import (
	"context"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// pinsSaveAfter is how long changes are collected before they are saved.
const pinsSaveAfter = time.Second

// PinStore keeps pins over restarts of the process. Its methods are called one at
// a time, on goroutines of the pins actor.
type PinStore interface {
	Load() ([]Pin, error)
	Save([]Pin) error
}

// PinsConfig is what the pins actor is made of.
type PinsConfig struct {
	// Store may be nil: pins then live as long as the process.
	Store PinStore
	// Limit is the number of pins beyond which tools are reported as not pinned
	// instead of older ones being forgotten, which a caller could bring about. One
	// service gets an eighth of them. Zero is 65 536.
	Limit int
	// Skeleton maps names that a person could confuse to the same string; nil folds
	// case, separators and ASCII look-alikes.
	Skeleton func(string) string
	// OnSaved is told of every attempt to save. It must not block.
	OnSaved func(error)
}

// Pins is the handle of the pins actor: which definition each tool is held to.
//
// The book is the handle's and outlives a crash of the actor: forgetting it would
// turn the next drift into a first sight. Only the current incarnation touches it.
type Pins struct {
	ref
	cfg    PinsConfig
	book   *pinBook
	stored *guard.Promise[struct{}] // the first load
	turn   chan struct{}            // held by whoever uses the store
}

// NewPins returns the handle, with an empty book.
func NewPins(cfg PinsConfig) *Pins {
	if cfg.Limit <= 0 {
		cfg.Limit = 65536
	}
	if cfg.Skeleton == nil {
		cfg.Skeleton = look
	}
	if cfg.OnSaved == nil {
		cfg.OnSaved = func(error) {}
	}
	p := &Pins{cfg: cfg, book: newPinBook(cfg.Limit, cfg.Skeleton), stored: guard.NewPromise[struct{}](), turn: make(chan struct{}, 1)}
	if cfg.Store == nil {
		p.stored.Resolve(struct{}{})
	}
	return p
}

// Props describes the actor, for one spawn.
func (p *Pins) Props(o guard.Options) *actor.Props {
	return p.props(func() actor.Actor { return &pinsActor{h: p} }, o)
}

// Loaded waits for the first load of the store and returns its error.
func (p *Pins) Loaded(ctx context.Context) error {
	_, err := p.stored.Await(ctx)
	return err
}

// Observe compares a list of tools with the pins and pins what it sees first.
func (p *Pins) Observe(ctx context.Context, service string, tools []messages.ToolPin, at time.Time) ([]messages.PinFinding, error) {
	m := &messages.Observe{Promise: guard.NewPromise[[]messages.PinFinding](), Service: service, Tools: tools, At: at}
	return ask(ctx, &p.ref, m.Promise, m)
}

// Reload reads the store again and takes over what was approved there. It returns
// the number of pins that changed.
func (p *Pins) Reload(ctx context.Context) (int, error) {
	m := &messages.ReloadPins{Promise: guard.NewPromise[int]()}
	return ask(ctx, &p.ref, m.Promise, m)
}

// Flush saves what is not saved yet and returns the error of doing so.
func (p *Pins) Flush(ctx context.Context) error {
	m := &messages.FlushPins{Promise: guard.NewPromise[struct{}]()}
	_, err := ask(ctx, &p.ref, m.Promise, m)
	return err
}

type (
	// pinsLoaded brings what the store holds, for the first load or a reload.
	pinsLoaded struct {
		guard.Quiet
		of     *pinsActor
		pins   []Pin
		err    error
		answer *guard.Promise[int]
	}
	// savePins ends the time in which changes are collected.
	savePins struct {
		guard.Quiet
		of *pinsActor
	}
	// pinsSaved brings the result of one save and what had been approved meanwhile.
	pinsSaved struct {
		guard.Quiet
		of       *pinsActor
		approved []Pin
		err      error
	}
)

// pinsActor is one incarnation.
type pinsActor struct {
	h       *Pins
	early   []*messages.Observe // came before the first load
	dirty   bool
	saving  bool
	timer   *time.Timer
	flushes []*messages.FlushPins
	reloads []*guard.Promise[int]
}

// Receive handles one message.
func (a *pinsActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		if a.h.cfg.Store != nil {
			// After a crash, too: what was not saved yet is dirty again.
			a.load(nil)
			a.touch()
		}
	case *messages.Observe:
		if !a.h.stored.Settled() {
			a.early = append(a.early, m)
			return
		}
		a.observe(m)
	case *messages.ReloadPins:
		if a.h.cfg.Store == nil {
			m.Resolve(0)
			return
		}
		a.reloads = append(slices.DeleteFunc(a.reloads, (*guard.Promise[int]).Settled), m.Promise)
		a.load(m.Promise)
	case *pinsLoaded:
		if m.of == a {
			a.loaded(m)
		}
	case *savePins:
		if m.of == a {
			a.timer = nil
			a.save()
		}
	case *pinsSaved:
		if m.of == a {
			a.saved(m)
		}
	case *messages.FlushPins:
		if a.h.cfg.Store == nil || (!a.dirty && !a.saving) {
			m.Resolve(struct{}{})
			return
		}
		a.flushes = append(a.flushes, m)
		a.save()
	case *actor.Restarting, *actor.Stopping:
		a.giveUp()
	}
}

func (a *pinsActor) observe(m *messages.Observe) {
	found, changed := a.h.book.observe(m.Service, m.Tools, m.At)
	if changed {
		a.touch()
	}
	m.Resolve(found)
}

// alone calls f, which uses the store, while nobody else does: not a reload beside a
// save, nor what an incarnation before has left under way.
func (p *Pins) alone(operation string, f func() error) error {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	return guard.Shield(operation, f)
}

func (a *pinsActor) load(answer *guard.Promise[int]) {
	h := a.h
	go func() {
		m := &pinsLoaded{of: a, answer: answer}
		m.err = h.alone("load pins", func() (err error) { m.pins, err = h.cfg.Store.Load(); return err })
		h.send(m)
	}()
}

func (a *pinsActor) loaded(m *pinsLoaded) {
	if m.err != nil {
		m.answer.Reject(m.err)
		a.h.stored.Reject(m.err)
	} else {
		m.answer.Resolve(a.h.book.learn(m.pins))
		a.h.stored.Resolve(struct{}{})
	}
	for _, o := range a.early {
		a.observe(o)
	}
	a.early = nil
}

// touch notes a change and arms the save.
func (a *pinsActor) touch() {
	if a.h.cfg.Store == nil {
		return
	}
	a.dirty = true
	if a.timer == nil && !a.saving {
		a.timer = a.h.later(pinsSaveAfter, &savePins{of: a})
	}
}

// save writes the book in the background, one save at a time. What a person
// approved in the file since it was last read is taken over and not overwritten.
func (a *pinsActor) save() {
	if !a.dirty || a.saving || !a.h.stored.Settled() {
		return
	}
	a.dirty, a.saving = false, true
	h, pins := a.h, a.h.book.list()
	go func() {
		m := &pinsSaved{of: a}
		m.err = h.alone("save pins", func() error {
			stored, err := h.cfg.Store.Load()
			if err != nil {
				return err
			}
			merged := newPinBook(h.cfg.Limit, h.cfg.Skeleton)
			merged.learn(pins)
			if merged.learn(stored) > 0 {
				m.approved = stored
			}
			return h.cfg.Store.Save(merged.list())
		})
		h.send(m)
	}()
}

func (a *pinsActor) saved(m *pinsSaved) {
	a.saving = false
	a.h.cfg.OnSaved(m.err)
	a.h.book.learn(m.approved)
	if m.err != nil {
		a.touch() // again in a while
	} else if a.dirty {
		a.save()
		return // a flush waits for the later save
	}
	for _, f := range a.flushes {
		settle(f.Promise, m.err)
	}
	a.flushes = nil
}

func (a *pinsActor) giveUp() {
	if a.timer != nil {
		a.timer.Stop()
	}
	for _, o := range a.early {
		o.Reject(guard.ErrStopped)
	}
	for _, f := range a.flushes {
		f.Reject(guard.ErrStopped)
	}
	for _, r := range a.reloads {
		r.Reject(guard.ErrStopped)
	}
}

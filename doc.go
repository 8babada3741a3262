// Package sallyport is a guardrail engine for Model Context Protocol traffic.
//
// An [Engine] answers one question about every exchange, twice: may this call go
// upstream ([Engine.CheckRequest]), and may this result go back to the agent
// ([Engine.CheckResponse])? The answer is a [Verdict]: pass, pass with something
// masked or removed, or refuse. It is always given, inside the exchange timeout,
// whatever state the engine is in; a refusal is a verdict and not an error.
//
// # Life of an engine
//
//	engine, err := sallyport.New(sallyport.DefaultConfig())
//	err = engine.Start(ctx)         // rules are in force when it returns
//	engine.AwaitServing(ctx)        // the model, if there is one, is proved
//	verdict := engine.CheckRequest(ctx, &sallyport.Exchange{…})
//	err = engine.Reload(ctx, policy) // new rules and settings, no call lost
//	err = engine.Shutdown(ctx)      // drained, flushed, nothing left running
//
// Before it serves and after it has stopped an engine refuses. Several engines may
// live in one process; they share nothing but the ONNX Runtime environment. An
// engine runs in the host's actor system when [Config].System is given.
//
// Models are read through cgo. A program that is built without it (CGO_ENABLED=0) has the
// rest of the engine, with a nil [Config].Model: a model it cannot run keeps it from ever
// serving, and [Engine.ModelError] says so.
//
// [Config].Audit takes the trail of what was decided and why: a file
// ([OpenAuditFile]), or an [AuditSink] of the host's own.
//
// # What it owns, and what it never does
//
// The package puts the rooms together: it parses (package content), matches rules
// (rules), asks the model (inference, through the actors), decides (decision) and
// masks. It owns the flow of one exchange and the configuration. It never speaks a
// wire protocol, reads flags or environment variables (but for ONNXRUNTIME_LIB, see
// [Config].RuntimeLib), or keeps global state; the sidecar in cmd/sallyport does the
// first two around it.
package sallyport

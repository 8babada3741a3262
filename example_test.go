package sallyport_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/sallyport-mcp/sallyport"
)

// An engine without a model: detectors, rules and redaction. Add
// cfg.Gate and cfg.Model for the embedded classifiers, as examples/embed does.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	cfg := sallyport.DefaultConfig()
	cfg.Drain = 0 // nobody routes traffic to a program that asks itself
	cfg.DenyTools = []string{"files/delete_*"}
	engine, err := sallyport.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	if err := engine.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer engine.Shutdown(ctx)
	engine.AwaitServing(ctx)

	call := engine.CheckRequest(ctx, &sallyport.Exchange{
		Method: "tools/call", Services: []string{"files"},
		Body: []byte(`{"name":"delete_all","arguments":{}}`),
	})
	fmt.Println(call.Outcome, call.Category)

	result := engine.CheckResponse(ctx, &sallyport.Exchange{
		Method: "tools/call", Services: []string{"crm"},
		Body: []byte(`{"content":[{"type":"text","text":"ask kim@example.org"}],"id":9007199254740993}`),
	})
	fmt.Println(result.Outcome, string(result.Body))

	// Output:
	// deny tool_policy
	// mutated {"content":[{"type":"text","text":"ask [REDACTED:EMAIL]"}],"id":9007199254740993}
}

package token_test

import (
	"fmt"

	"github.com/sallyport-mcp/sallyport/internal/token"
)

func Example() {
	// Replicas share their keys; the first signs, all verify.
	ring, err := token.NewKeyring([]string{"the new key, 16 bytes or more", "the key before it"}, token.Options{})
	if err != nil {
		panic(err)
	}
	text := ring.Sign(token.Claims{
		Exchange: "e-1", Service: "wiki", Method: "tools/call", Tool: "search", TraceKey: ring.TraceKey("meta.principal", "ana"),
	})

	claims, result := ring.Verify(text, "wiki", "tools/call")
	fmt.Println(result, claims.Tool)
	_, result = ring.Verify(text, "mail", "tools/call")
	fmt.Println(result, "suspicious:", result.Suspicious())
	_, result = ring.Verify("", "wiki", "tools/call")
	fmt.Println(result)
	// Output:
	// valid search
	// mismatch suspicious: true
	// missing
}

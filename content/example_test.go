package content_test

import (
	"context"
	"fmt"

	"github.com/sallyport-mcp/sallyport/content"
)

// A result is parsed, scanned, and what can be masked is spliced out of the received bytes.
func Example() {
	body := []byte(`{"content":[{"type":"text","text":"Kim wrote from kim@example.org."}],"structuredContent":{"id":9007199254740993}}`)
	doc, err := content.Parse(body, content.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := doc.Assign("tools/call", content.SideResponse); err != nil {
		fmt.Println(err)
		return
	}
	report, err := content.Builtin().Scan(context.Background(), doc, content.SideResponse)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f.Severity, f.Detector, f.Path, f.Start, f.End)
	}
	out, err := content.Rewrite(doc, content.Mutation{Mask: report.Findings})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(out.Bytes))
	fmt.Println(content.CheckShape("tools/call", content.SideResponse, out.Bytes))
	// Output:
	// note email /content/0/text 15 30
	// {"content":[{"type":"text","text":"Kim wrote from [REDACTED:EMAIL]."}],"structuredContent":{"id":9007199254740993}}
	// <nil>
}

package rules_test

import (
	"fmt"
	"time"

	"github.com/sallyport-mcp/sallyport/rules"
)

// A pack is parsed, compiled, and asked about one call after the other.
func Example() {
	pack, err := rules.Parse("mail.yaml", []byte(`
version: 1
lists:
  inside: [corp.example]
rules:
  - name: read-then-send
    flow:
      within: 30m
      steps:
        - call: {tool: inbox_read}
        - call: {tool: email_send, when: "recipients(args).exists(r, !in_domains(r, lists.inside))"}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := pack.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	state := rules.NewState() // one for each trace key
	now := time.Date(2025, 1, 6, 9, 0, 0, 0, time.UTC)
	for i, call := range []struct{ tool, to string }{
		{"email_send", "bob@evil.example"},
		{"inbox_read", ""},
		{"email_send", "x@corp.example"},
		{"email_send", "bob@evil.example"},
	} {
		now = now.Add(time.Second)
		matched := set.Match(&rules.Event{Tool: call.tool, Method: rules.MethodToolsCall, Args: map[string]any{"to": call.to}, Now: now})
		id := [16]byte{byte(i + 1)}
		hits := append(matched.Hits, set.Advance(state, &matched, rules.AdvanceInfo{ID: id, Now: now})...)
		worst, fired := rules.Worst(hits)
		denied := fired && worst.Action == rules.ActionBlock
		state.Settle(id, !denied, now)
		fmt.Printf("%s to %q: denied=%t by %q\n", call.tool, call.to, denied, worst.Rule)
	}
	// Output:
	// email_send to "bob@evil.example": denied=false by ""
	// inbox_read to "": denied=false by ""
	// email_send to "x@corp.example": denied=false by ""
	// email_send to "bob@evil.example": denied=true by "read-then-send"
}

// An access list takes globs on a tool or on service/tool; deny wins.
func ExampleNewACL() {
	acl, err := rules.NewACL([]string{"read_*", "git/*"}, []string{"git/delete_*"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(acl.Allowed("files", "read_file"), acl.Allowed("git", "Delete_Repo"), acl.Allowed("git", "log"), acl.Allowed("mail", "send"))
	// Output: true false true false
}

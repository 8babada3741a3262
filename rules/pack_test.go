package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const designPack = `version: 1
name: default
lists:
  internal_domains: [corp.example, "*.svc.cluster.local"]
rules:
  - name: mailbox-then-external-mail
    description: read a mailbox, then mail someone outside
    action: block                 # block | review | shadow
    flow:
      within: 30m
      steps:
        - call: {tool: inbox_read}
        - unless: {tool: email_approve}
        - call:
            tool: ["email_send", "mail*"]
            when: recipients(args).exists(r, !in_domains(r, lists.internal_domains))
  - name: untrusted-output-then-shell
    action: review
    flow:
      within: 10m
      steps:
        - result: {labels: [injection]}        # what the response gate found
        - call: {tool: '/(?i)(shell|exec|terminal)/'}
  - name: retry-storm
    loop: {threshold: 5, within: 10m, ignore_args: [request_id, nonce]}
  - name: per-tool-rate
    rate: {tool: "*", max: 30, within: 60s}
  - name: read-volume
    budget: {tool: "fs_*", amount: double(args.size), max: 10485760, within: 1h}
  - name: no-secret-objects
    call:
      service: k8s
      tool: "get*"
      when: args.kind.lowerAscii() in ["secret", "secrets"]
tests:
  - name: approved mail is fine
    calls:
      - {tool: inbox_read}
      - {tool: email_approve}
      - {tool: email_send, args: {to: x@evil.example}}
    fires: []
  - name: external mail
    calls:
      - {tool: inbox_read}
      - {tool: email_send, args: {to: x@evil.example}}
      - {tool: email_send, args: {to: [x@evil.example]}, fires: mailbox-then-external-mail}
      - {tool: email_send, args: {to: x@corp.example}, fires: []}
    fires: [mailbox-then-external-mail]
  - name: shell
    calls:
      - {tool: a, result: {labels: [injection]}}
      - {tool: run_shell}
    fires: [untrusted-output-then-shell]
  - name: storm
    calls:
      - {tool: a, args: {nonce: 1, b: 2}}
      - {tool: a, args: {nonce: 2, b: 2}, repeat: 3, fires: []}
      - {tool: a, args: {nonce: 3, b: 2}}
    fires: [retry-storm]
  - name: rate
    calls:
      - {tool: a, args: {x: 1}, after: 0s, repeat: 4}
      - {tool: a, args: {x: 2}, after: 0s, repeat: 4}
      - {tool: a, args: {x: 3}, after: 0s, repeat: 4}
      - {tool: a, args: {x: 4}, after: 0s, repeat: 4}
      - {tool: a, args: {x: 5}, after: 0s, repeat: 4}
      - {tool: a, args: {x: 6}, after: 0s, repeat: 4}
      - {tool: a, args: {x: 7}, after: 0s, repeat: 4}
      - {tool: a, args: {x: 8}, after: 0s, repeat: 2, fires: []}
      - {tool: a, args: {x: 9}, after: 0s}
      - {tool: a, args: {x: 10}, after: 60s, fires: []}
    fires: [per-tool-rate]
  - name: volume
    calls:
      - {tool: fs_read, args: {size: 10485760}, fires: []}
      - {tool: fs_read, args: {size: 1}, fires: [read-volume]}
      - {tool: fs_read, args: {size: 1}, after: 1h, fires: []}
  - name: secrets
    calls:
      - {tool: get_object, service: k8s, args: {kind: Secret}, fires: no-secret-objects}
      - {tool: get_object, service: k8s, args: {kind: Pod}, fires: []}
      - {tool: get_object, service: k8s, fires: []}
`

func TestDesignPack(t *testing.T) {
	p, err := Parse("a.yaml", []byte(designPack))
	require.NoError(t, err)
	r := p.Test()
	require.NoError(t, r.Err)
	require.Empty(t, r.Failed)
	require.Equal(t, 7, r.Passed)
}

package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHostPassword masks the password of an address without a scheme, and leaves what looks like one.
func TestHostPassword(t *testing.T) {
	for text, password := range map[string]string{
		"admin:S3cr3t!@db.internal:5432/app":                     "S3cr3t!",
		"DB=admin:Kq7#vGx86b@10.0.4.7:5432/app":                  "Kq7#vGx86b",
		"git clone builder:q8W4zT1xLm90@git.internal:2222/s.git": "q8W4zT1xLm90",
		"rsync backup:q8w4zt1xlm90@nas.acme.example::daily /mnt": "q8w4zt1xlm90",
		`proxy = corp\jan:P4ss!word9@proxy.corp.acme:3128`:       "P4ss!word9",
		"--proxy=jan:P4ss@word9!@proxy.corp.acme:3128":           "P4ss@word9!",
		"redis at app:q8W4zT1xLm90@cache:6379, TLS":              "q8W4zT1xLm90",
		`"amqp": "mq:Zx7$R2Xpuj@rabbit.svc.cluster.local"`:       "Zx7$R2Xpuj",
		"(see svc:Zx7^R2Xpuj@ldap.acme.example)":                 "Zx7^R2Xpuj",
	} {
		t.Run(text, func(t *testing.T) {
			require.Equal(t, result(strings.Replace(text, password, "[REDACTED:CONNECTION_STRING]", 1)), maskedResult(t, text))
		})
	}
	const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	for _, text := range []string{
		"lunch 10:30@office, review Tue14:00@room5.east", "acme/api:v1.2.3-Rc4@sha256:" + digest, "nginx:1.27-alpine3.20@sha256:" + digest,
		"npm:lodash4x@4.17.21 jsr:@std/path@1.0 react18:es6x9y2@18.2.0", "git@github.com:acme/shop.git", "ssh deploy@web01:/srv", "user:password@host:5432/name",
		"app:${DB_PASSWORD}@db:5432", "app:$DB_PASS1@db.internal:5432/app", "app:<password>@db.internal:5432", "app:{{ .Pass1 }}@db.internal:5432", "root:changeme1!@db.internal:5432",
		"Lcom/acme/Foo:Bar1@6d06d69c", "ntdll.dll:RtlUserThreadStart21@x", "system:serviceaccount:shop:runner-v2@cluster.local", "com.acme:core:1.4.0-M2@aar",
		"score 3:2@home 16:9@60Hz", "key1:Value2@Scope", "worker:task-42@node3.local", "css:sprite2x@2x.png:12", "a?b1:C2@x",
	} {
		t.Run(text, func(t *testing.T) { require.NotContains(t, detectors(scanText(t, text)), "connection-string") })
	}
	require.Equal(t, result("mail:[REDACTED:EMAIL] or e-mail:[REDACTED:EMAIL]"), maskedResult(t, "mail:Anna2x4y@acme.example or e-mail:kim+9x8Y7@acme.example"))
}

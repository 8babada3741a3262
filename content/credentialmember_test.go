package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListsOfCredentials: what stands in a list below the name of a credential is one where it looks drawn.
func TestListsOfCredentials(t *testing.T) {
	for body, want := range map[string]string{
		`{"password":["hunter2Kx!9aQ"]}`: `{"password":["[REDACTED:CREDENTIAL]"]}`,
		`{"passwords":["hunter2Kx!9","Sommer2024!x"],"hosts":["db1.internal","Sommer2025!x"]}`:                                                   `{"passwords":["[REDACTED:CREDENTIAL]","[REDACTED:CREDENTIAL]"],"hosts":["db1.internal","Sommer2025!x"]}`,
		`{"secrets":["sh.helm.release.v1.app.v12","grafana-admin-5d8f7b9c"],"tokens":["0x6B175474E89094C44Da98b954EedeAC495271d0F"]}`:            "",
		`{"password":["This password is too short. It must have 8 characters, at least.","required","min:12","validation.required"]}`:            "",
		`{"password":[{"code":"too_short","message":"Use 12 or more."}],"token":["the","quick","brown","fox"],"secret":["db-credentials-2024"]}`: "",
		`{"password":[],"next":["hunter2Kx!9aQ"]}`: "",
		`{"password":["ValidationError.MinLength8","E1042-weak","MinLen12"],"passwords":["NIST-800-63B","x9Kq2vT7bLm4"]}`: `{"password":["ValidationError.MinLength8","E1042-weak","MinLen12"],"passwords":["NIST-800-63B","[REDACTED:CREDENTIAL]"]}`,
		`{"required":["username","password"],"password":{"enum":["sha512","Argon2id"]}}`:                                  "",
	} {
		d, r := scanBody(t, "tools/call", SideResponse, `{"structuredContent":`+body+`}`)
		got := string(mask(t, d, r).Bytes)
		if want == "" {
			want = body
		}
		require.Equal(t, `{"structuredContent":`+want+`}`, got)
	}
}

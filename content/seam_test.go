package content

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pieceTokens are tokens of every kind that is followed over seams. They give access to nothing.
func pieceTokens() map[string][2]string {
	return map[string][2]string{
		"JWT":       {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJraW0iLCJpc3MiOiJleGEubSIsImlhdCI6MTc5NjAwMDAwMDF9.b7Qw9TzKp3Lx0VnRc5YdEf8HgJm2NsUaXi4Wo6Bt1Zk", "JWT"},
		"fixed":     {"ghp_" + "Zq8Kd0Pw3Vn6Xr1Tb9Lm4Jc7Hf2Gs5Ya0Ue3", "GITHUB_TOKEN"},
		"long":      {"github_" + "pat_11AZq8Kd0Pw3Vn6Xr1Tb_9Lm4Jc7Hf2Gs5Ya0Ue3Wi8Qo6Rk1Dx4Nz7Bv2Mh5Ct0Fp9Sl3E", "GITHUB_TOKEN"},
		"unbounded": {"sk-" + "ant-api03-Zq8Kd0Pw3Vn6Xr1Tb9Lm4Jc7Hf2-Gs5Ya0Ue3Wi8Qo6Rk1Dx4Nz7Bv2Mh5Ct0Fp9Sl3Eg6Ia1Ob4Pw7Rk0Tq3Uy6Vx9Wz2AA", "LLM_API_KEY"},
		"opaque":    {"Bearer Zq8Kd0Pw3Vn6Xr1Tb9Lm4Jc7Hf2/Gs5Ya0Ue3Wi8Qo6Rk1Dx4Nz7Bv2Mh5", "BEARER_TOKEN"},
	}
}

// TestTokensInPieces masks a token whole that is written in pieces, whatever stands between them.
func TestTokensInPieces(t *testing.T) {
	for form, f := range map[string]struct{ before, seam, after string }{
		"a quotation":                {"She wrote:\n> ", "\n> ", "\n> bye"},
		"a quotation of a quotation": {">> ", "\n>> ", "\n"},
		"quoted-printable":           {"Token:\n", "=\n", "\n\nRegards"},
		"the same from the network":  {"Token:\r\n", "=\r\n", "\r\n\r\nRegards"},
		"literals with a plus":       {`s = "`, "\" +\n    \"", `";`},
		"a plus on the next line":    {`s = '`, "'\n    + '", `';`},
		"literals with a dot":        {`$s = '`, "' .\n  '", `';`},
		"literals of Visual Basic":   {`s = "`, "\" & _\n    \"", `"`},
		"literals side by side":      {`s = ("`, "\"\n     \"", `")`},
		"a line that goes on":        {"export T=", "\\\n", "\nexport U=1"},
		"the same with an indent":    {"T='", "\\\n   ", "'"},
		"wrapped lines":              {"", "\n", "\n"},
		"a folded scalar":            {"token: >-\n  ", "\n  ", "\nname: kim"},
		"comments":                   {"# ", "\n# ", "\n# end"},
		"comments of another kind":   {"// ", "\n// ", "\n"},
		"what a diff adds":           {"@@ -1 +1,3 @@\n+", "\n+", "\n unchanged"},
		"what a diff takes away":     {"@@ -1,3 +1 @@\n-", "\n-", "\n unchanged"},
	} {
		for name, token := range pieceTokens() {
			for _, size := range []int{24, 40, 64} {
				text, mask := token[0], token[1]
				if size+4 > len(text) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", form, name, size), func(t *testing.T) {
					scheme := text[:strings.IndexByte(text, ' ')+1]
					require.Equal(t, result(f.before+scheme+"[REDACTED:"+mask+"]"+f.after), maskedResult(t, f.before+spread(text, size, f.seam)+f.after))
				})
			}
		}
	}
}

// maskedResult returns a result of one text as redaction leaves it.
func maskedResult(t *testing.T, text string) string {
	d, r := scanBody(t, "tools/call", SideResponse, result(text))
	return string(mask(t, d, r).Bytes)
}

// TestLinesBehindTokens leaves what follows a token on lines of its own, and finds no token where none begins.
func TestLinesBehindTokens(t *testing.T) {
	const token = "glpat-" + "Zq8Kd0Pw3Vn6Xr1Tb9Lm"
	for name, after := range map[string]string{
		"words":               "\nsame-as-before\n",
		"a name":              "\nshop_runner_prod\n",
		"a class":             "\nTestAccRoleBinding\n",
		"a sentence":          "\nplease keep it safe",
		"a setting":           "\nCI_JOB_NAME=Build42Linux",
		"another literal":     `" + "/projects"`,
		"a longer line":       "\nZq8Kd0Pw3Vn6Xr1Tb9LmZq8Kd0Pw3Vn6Xr1Tb9Lm\n",
		"an option":           " \\\n  --name x42\n",
		"the end of a header": "\r\n\r\nok",
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, result("[REDACTED:GITLAB_TOKEN]"+after), maskedResult(t, token+after))
		})
	}
	for name, text := range map[string]string{
		"a class of a page and a word":  "sk-circle-fade-dot\nmain",
		"an alphabet in two literals":   `s = "eyJabcdefghijklmnopqrstuvwxyz" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"`,
		"the first part alone":          "eyJhbGciOiJIUzI1NiJ9\nnext line\n",
		"the name of a token, in lines": "github_pat_\nrotation\nruns\n",
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, scanText(t, text).Findings) })
	}
}

// TestTokensWithNothingBehindTheirNames says that the name of a token right before the end of its line has no body.
func TestTokensWithNothingBehindTheirNames(t *testing.T) {
	require.Empty(t, scanText(t, strings.Repeat("access-production-\n", 3)).Findings)
}

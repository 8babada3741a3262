package audit

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every member and event that the format has is in the manual.
func TestManualKnowsEveryMember(t *testing.T) {
	doc, err := os.ReadFile("../../docs/audit.md")
	require.NoError(t, err)
	for _, typ := range []reflect.Type{reflect.TypeFor[wireLine](), reflect.TypeFor[wireFinding](), reflect.TypeFor[Fingerprint](), reflect.TypeFor[Coverage]()} {
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			require.Contains(t, string(doc), "`"+name+"`", "%s.%s", typ.Name(), f.Name)
		}
	}
	source, err := os.ReadFile("record.go")
	require.NoError(t, err)
	constants := regexp.MustCompile(`(?m)^\s(?:Event|Outcome|Phase)\w+\s*=\s*"(\w+)"`).FindAllStringSubmatch(string(source), -1)
	require.Len(t, constants, 21)
	for _, c := range constants {
		require.Contains(t, string(doc), "`"+c[1]+"`")
	}
	for _, r := range []string{reasonRestart, reasonRotation, reasonTorn, reasonWriteFailed, reasonSyncFailed} {
		require.Contains(t, string(doc), "`"+r+"`")
	}
	require.Contains(t, string(doc), strings.TrimSpace(signatureContext))
}

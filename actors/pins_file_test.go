package actors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A broken pins file is named, with the place, in words that someone who edits it knows.
func TestPinFileSaysWhereItIsWrong(t *testing.T) {
	pin := `{"service":"s","tool":"t","hash":"` + strings.Repeat("ab", 32) + `","first_seen":"2026-01-01T00:00:00Z"}`
	for name, c := range map[string]struct{ text, want string }{
		"no list": {`{"version":1}`, "it has no list of pins"},
		"null":    {`{"version":1,"pins":null}`, "it has no list of pins"},
		"no hash": {`{"version":1,"pins":[` + pin + `,{"service":"s","tool":"u"}]}`, `member "/pins/1" has no hash`},
		"twice":   {`{"version":1,"pins":[` + pin + "," + pin + `]}`, `members "/pins/0" and "/pins/1" are of the same tool`},
		"list":    {`[]`, "it holds no object with version and pins"},
		"text":    {`{"version":"1"}`, `member "/version" at byte 11`},
		"unknown": {`{"version":1,"pin":[]}`, `unknown member "/pin"`},
		"pin":     {`{"version":1,"pins":[{"service":7}]}`, `member "/pins/0/service"`},
		"hash":    {`{"version":1,"pins":[{"hash":"zz"}]}`, `member "/pins/0/hash"`},
		"cut":     {`{"version":1,"pins":[{"serv`, "unexpected EOF"},
		"version": {`{"version":2,"pins":[]}`, "version 2 is not 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pins.json")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := PinFile(path).Load()
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "load pins")
			require.ErrorContains(t, err, path)
			require.NotContains(t, err.Error(), "Go ", "a Go type means nothing to an operator")
			require.NotContains(t, err.Error(), "actors.")
		})
	}
}

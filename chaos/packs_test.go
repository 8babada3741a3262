//go:build chaos

package chaos

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// goodPack is a pack with the rules that the oracle counts on, and so many more.
func goodPack(number, more int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `version: 1
name: chaos-%d
rules:
  - {name: forbidden-tool, call: {tool: shell}}
  - name: vault-then-post
    flow: {within: 1h, steps: [{call: {tool: vault_read}}, {call: {tool: web_post}}]}
`, number)
	for i := range more {
		fmt.Fprintf(&b, "  - {name: more-%d, call: {tool: never-%d-%d, when: 'texts(args).exists(t, t.matches(\"(?i)word%d\"))'}}\n", i, number, i, i)
	}
	b.WriteString(`tests:
  - {name: forbidden, calls: [{tool: shell, fires: forbidden-tool}]}
`)
	return b.String()
}

// brokenPacks are all refused, each for another reason.
var brokenPacks = []string{
	"",
	"\x00\x01\x02\xff\xfe",
	"version: 1\nname: x\nrules: [{name: a, cal: {tool: x}}]\n",
	"version: 1\nname: x\nrules:\n  - {name: a, call: {tool: x, when: 'args.('}}\n",
	"version: 7\nname: x\n",
	"version: 1\nname: x\nrules:\n\t- tab\n",
	"version: 1\nname: x\nrules: [{name: a, call: {tool: x}}, {name: a, call: {tool: y}}]\n",
	"version: 1\nname: x\nrules: [{name: a, call: {tool: '/(/'}}]\n",
	"version: 1\nname: x\nrules: [{name: a, call: {tool: x}}]\ntests:\n  - {name: wrong, calls: [{tool: y, fires: a}]}\n",
	"version: 1\nname: x\na: &a [*a]\n",
	strings.Repeat("{", 100_000),
}

// packs is the pack file that the engine reads.
type packs struct {
	path   string
	number int
}

// write replaces the file as a whole, as a ConfigMap is.
func (p *packs) write(text string) error {
	next := filepath.Join(filepath.Dir(p.path), "next")
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(next, p.path)
}

func (p *packs) good(rnd *rand.Rand) error {
	p.number++
	return p.write(goodPack(p.number, rnd.IntN(40)))
}

// broken puts something in place that must not load, and says what.
func (p *packs) broken(rnd *rand.Rand) (string, error) {
	n := rnd.IntN(len(brokenPacks) + 1)
	if n == len(brokenPacks) {
		if err := os.Remove(p.path); !errors.Is(err, fs.ErrNotExist) {
			return "no file", err
		}
		return "no file", nil
	}
	return fmt.Sprintf("broken pack %d", n), p.write(brokenPacks[n])
}

// Package config owns the product's settings: one table ([Table]) says for each
// of them its environment name, YAML path, flag, kind, default, range and whether
// it can be reloaded, and everything else is derived from it: [Load] reads and
// checks them, [Settings.Print], [Schema] and [Markdown] describe them, [Diff]
// tells what a reload changed.
//
// Precedence is built-in defaults, then the YAML file, then the environment, then
// flags. Reading is strict, and every problem is reported at once ([Problems]).
//
// It decides nothing and starts nothing; it never prints a secret. The commands
// call it; the root package never does, because an embedder configures by value.
package config

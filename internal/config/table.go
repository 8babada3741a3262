package config

import "strings"

// Setting is one row of the table of settings.
type Setting struct {
	// Name is the environment variable.
	Name string
	// Aliases are further environment variables that mean the same.
	Aliases []string
	// Path is the place in the YAML file, with dots between groups; "" when the
	// setting has no place there.
	Path string
	// Flag is the command-line flag without dashes; "" for none.
	Flag string
	// Kind says how the text is read.
	Kind Kind
	// Default is the text of the default; "" leaves the setting unset.
	Default string
	// Unset describes what an unset value means, for rows without a Default.
	Unset string
	// Enum are the accepted words of an Enum, in canonical spelling.
	Enum []string
	// Min and Max bound a number, in the unit of the setting, both inclusive.
	Min, Max float64
	// Above excludes Min itself.
	Above bool
	// Reloadable is whether SIGHUP can change it.
	Reloadable bool
	// Verdict is whether a profile can override it.
	Verdict bool
	// Doc is one sentence for the manual.
	Doc string

	// ptr returns where the value lives.
	ptr func(*Settings) any
	// check refuses values that the kind alone would accept.
	check func(text string) error
}

// FileName is the environment variable that names a file holding the secret, ""
// for a setting that is not secret.
func (r *Setting) FileName() string {
	if r.Kind.secret() {
		return r.Name + "_FILE"
	}
	return ""
}

// filePath is the YAML twin of FileName.
func (r *Setting) filePath() string {
	if r.Kind.secret() {
		return r.Path + "_file"
	}
	return ""
}

// groups are the name prefixes that become a level of the YAML file. A name
// belongs to the first that fits.
var groups = []string{
	"ADMIN", "MODEL", "PG", "INVARIANT", "EXCHANGE", "GRPC", "TLS",
	"UNHEALTHY_SCANNER", "SHUTDOWN", "AUDIT",
}

// path derives the YAML path of a name: lower case, with a dot after the group.
func path(name string) string {
	if name == "MODEL" {
		// A key cannot hold a word and a group at once.
		return "model.source"
	}
	for _, g := range groups {
		if rest, ok := strings.CutPrefix(name, g+"_"); ok {
			return strings.ToLower(g) + "." + strings.ToLower(rest)
		}
	}
	return strings.ToLower(name)
}

// Table returns every setting in the order of the manual. The caller may not
// change it.
func Table() []Setting { return table }

var table = build()

// index finds a row by its environment name.
var index = func() map[string]*Setting {
	m := make(map[string]*Setting, len(table))
	for i := range table {
		m[table[i].Name] = &table[i]
	}
	return m
}()

// option adjusts a row.
type option func(*Setting)

func flagged(r *Setting)    { r.Flag = strings.ReplaceAll(strings.ToLower(r.Name), "_", "-") }
func reloadable(r *Setting) { r.Reloadable = true }
func verdict(r *Setting)    { r.Reloadable, r.Verdict = true, true }

func enum(words ...string) option         { return func(r *Setting) { r.Enum = words } }
func within(lo, hi float64) option        { return func(r *Setting) { r.Min, r.Max = lo, hi } }
func above(lo, hi float64) option         { return func(r *Setting) { r.Min, r.Max, r.Above = lo, hi, true } }
func unset(meaning string) option         { return func(r *Setting) { r.Unset = meaning } }
func also(names ...string) option         { return func(r *Setting) { r.Aliases = names } }
func checked(f func(string) error) option { return func(r *Setting) { r.check = f } }
func outsideFile(r *Setting)              { r.Path = "" }
func row(name string, k Kind, def, doc string, ptr func(*Settings) any, opts ...option) Setting {
	r := Setting{Name: name, Path: path(name), Kind: k, Default: def, Doc: doc, ptr: ptr}
	for _, o := range opts {
		o(&r)
	}
	return r
}

package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"github.com/sallyport-mcp/sallyport/internal/plainfile"
)

// Sources are where settings come from. The zero value is the process
// environment and the file system, without flags.
type Sources struct {
	// Flags were made by [Flags] and parsed; nil for none.
	Flags *pflag.FlagSet
	// Environ are NAME=value lines; nil for the process environment.
	Environ []string
	// ReadFile reads the configuration and the secret files; nil for one that
	// also waits for what comes out of a pipe.
	ReadFile func(name string) ([]byte, error)
}

// Flags adds a flag to fs for every setting that has one. Their defaults are left
// empty, because the default of a setting is not the flag's to give.
func Flags(fs *pflag.FlagSet) {
	for i := range table {
		r := &table[i]
		if r.Flag == "" {
			continue
		}
		usage := r.Doc
		if def := r.defaultText(); def != "" {
			usage += " (default " + def + ")"
		}
		fs.String(r.Flag, "", usage)
	}
}

// Defaults returns the settings when nothing is given.
func Defaults() *Settings {
	s := &Settings{origins: map[string]string{}}
	for i := range table {
		r := &table[i]
		if r.Default == "" {
			continue
		}
		if err := r.assign(s, r.Default); err != nil {
			panic(fmt.Sprintf("config: default of %s: %v", r.Name, err))
		}
	}
	return s
}

// Load reads defaults, file, environment and flags, each over the one before, and
// checks the result. The error is [Problems] and holds everything that is wrong.
func Load(src Sources) (*Settings, error) {
	if src.Environ == nil {
		src.Environ = os.Environ()
	}
	if src.ReadFile == nil {
		src.ReadFile = plainfile.ReadOrWait
	}
	l := loader{src: src, origins: map[string]string{}, merged: koanf.New(".")}
	l.env = l.environment()
	l.load()
	s := Defaults()
	s.origins = l.origins
	l.assign(s)
	s.Config = l.configPath()
	for i := range l.doc.profiles {
		l.doc.profiles[i].resolve(s)
	}
	s.Profiles = l.doc.profiles
	s.contradictions(&l.problems)
	return s, l.problems.err()
}

type loader struct {
	src      Sources
	merged   *koanf.Koanf
	env      map[string]leaf // by setting key, see key
	doc      document
	origins  map[string]string
	problems Problems
}

// key is the koanf key of a row: its path, or its name when the file has no place
// for it.
func (r *Setting) key() string {
	if r.Path == "" {
		return strings.ToLower(r.Name)
	}
	return r.Path
}

// environment picks the variables of the table; an empty one counts as unset. One with
// the prefix that CONFIG alone may have is a problem: what it asks for would be missed.
func (l *loader) environment() map[string]leaf {
	keys := map[string]string{}
	for i := range table {
		r := &table[i]
		keys[r.Name] = r.key()
		for _, a := range r.Aliases {
			keys[a] = r.key()
		}
		if f := r.FileName(); f != "" {
			keys[f] = r.filePath()
		}
	}
	found := map[string]leaf{}
	for _, line := range l.src.Environ {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(value) == "" {
			continue
		}
		key, ok := keys[name]
		if plain := strings.TrimPrefix(name, "SALLYPORT_"); !ok && keys[plain] != "" {
			l.problems.add(name, "", "is not read: settings have no prefix, name it %s", plain)
		}
		if !ok {
			continue
		}
		if other, twice := found[key]; twice && other.value != value && other.where != name {
			l.problems.add(name, "", "says something else than %s, which means the same", other.where)
			continue
		}
		found[key] = leaf{value: value, where: name}
	}
	return found
}

// configPath is the file to read: the flag, else the environment.
func (l *loader) configPath() string {
	row := index["CONFIG"]
	if f := l.src.Flags; f != nil && f.Changed(row.Flag) {
		return f.Lookup(row.Flag).Value.String()
	}
	if v, ok := l.env[row.key()]; ok {
		return v.value.(string)
	}
	return ""
}

// load merges the layers and notes where each value came from.
func (l *loader) load() {
	if name := l.configPath(); name != "" {
		data, err := l.src.ReadFile(name)
		if err != nil {
			l.problems.add("", "CONFIG", "%v", err)
		} else {
			l.doc = parseFile(name, data, &l.problems)
		}
	}
	file := map[string]any{}
	for path, v := range l.doc.leaves {
		file[path] = v.value
		l.origins[path] = v.where
	}
	l.merge(confmap.Provider(file, "."))
	l.dropOverridden(l.env)
	l.merge(env.Provider(".", env.Opt{
		EnvironFunc: func() []string {
			lines := make([]string, 0, len(l.env))
			for key, v := range l.env {
				l.origins[key] = v.where
				lines = append(lines, key+"="+v.value.(string))
			}
			return lines
		},
	}))
	if l.src.Flags == nil {
		return
	}
	given := map[string]leaf{}
	l.src.Flags.Visit(func(f *pflag.Flag) {
		for i := range table {
			if table[i].Flag == f.Name {
				given[table[i].key()] = leaf{value: f.Value.String(), where: "--" + f.Name}
			}
		}
	})
	l.dropOverridden(given)
	l.merge(posflag.ProviderWithFlag(l.src.Flags, ".", nil, func(f *pflag.Flag) (string, any) {
		for key, v := range given {
			if v.where == "--"+f.Name {
				l.origins[key] = v.where
				return key, v.value
			}
		}
		return "", nil
	}))
}

// dropOverridden removes from the layers below the other spelling of a secret
// that the next layer gives: a key in the environment replaces a key file named in
// the configuration file and the other way round.
func (l *loader) dropOverridden(next map[string]leaf) {
	for i := range table {
		r := &table[i]
		if !r.Kind.secret() {
			continue
		}
		if _, ok := next[r.key()]; ok {
			l.merged.Delete(r.filePath())
		}
		if _, ok := next[r.filePath()]; ok {
			l.merged.Delete(r.key())
		}
	}
}

func (l *loader) merge(p koanf.Provider) {
	if err := l.merged.Load(p, nil); err != nil {
		// The providers read maps that we made.
		panic(fmt.Sprintf("config: merge: %v", err))
	}
}

// assign reads every merged value into s.
func (l *loader) assign(s *Settings) {
	origins := make(map[string]string, len(l.origins))
	for i := range table {
		r := &table[i]
		raw, where := l.merged.Get(r.key()), l.origins[r.key()]
		if f := r.filePath(); f != "" && l.merged.Exists(f) {
			if l.merged.Exists(r.key()) {
				l.problems.add(where, r.Name, "is given together with %s", l.origins[f])
				continue
			}
			where = l.origins[f]
			data, err := l.src.ReadFile(strings.TrimSpace(fmt.Sprint(l.merged.Get(f))))
			if err == nil && len(data) > maxFile {
				err = fmt.Errorf("the file is over %d bytes", maxFile)
			}
			if err != nil {
				l.problems.add(where, r.Name, "%v", err)
				continue
			}
			raw = string(data)
		}
		if raw == nil {
			continue
		}
		origins[r.Name] = where
		if err := r.assign(s, raw); err != nil {
			l.problems.add(where, r.Name, "%v", err)
		}
	}
	for _, word := range []string{ModelDefault, ModelOff} {
		if strings.EqualFold(s.Model, word) {
			s.Model = word
		}
	}
	s.origins = origins
}

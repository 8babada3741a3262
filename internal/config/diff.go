package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is one setting that differs between two configurations, with secrets
// hidden.
type Change struct {
	Name, Old, New string
}

// Changes tells a reload what it can do by itself and what it cannot.
type Changes struct {
	// Reloadable take effect without a restart.
	Reloadable []Change
	// Restart need one; until then the old values hold.
	Restart []Change
}

// Diff compares two configurations. The profiles count as one setting, named
// "profiles".
func Diff(old, new *Settings) Changes {
	var c Changes
	for i := range table {
		r := &table[i]
		// Which file was read is not itself a setting in force.
		if r.Path == "" || reflect.DeepEqual(normal(r.ptr(old)), normal(r.ptr(new))) {
			continue
		}
		change := Change{Name: r.Name, Old: r.format(old), New: r.format(new)}
		if r.reloads(old, new) {
			c.Reloadable = append(c.Reloadable, change)
		} else {
			c.Restart = append(c.Restart, change)
		}
	}
	if !sameProfiles(old.Profiles, new.Profiles) {
		c.Reloadable = append(c.Reloadable, profilesChange(old.Profiles, new.Profiles))
	}
	return c
}

// reloads reports whether a change of the setting takes effect without a restart. TLS is
// renewed and not switched on or off, so that what is said to be in force is: a listener
// keeps the one or the other.
func (r *Setting) reloads(old, new *Settings) bool {
	switched := (old.TLSCertFile == "") != (new.TLSCertFile == "")
	return r.Reloadable && !(switched && strings.HasPrefix(r.Path, "tls."))
}

// normal makes an absent list and an empty one equal.
func normal(p any) any {
	v := reflect.ValueOf(p).Elem()
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		return nil
	}
	return v.Interface()
}

// sameProfiles compares what the file says and not what it comes to, so that a
// change of a setting outside profiles is not reported twice.
func sameProfiles(a, b []Profile) bool { return slices.EqualFunc(a, b, Profile.same) }

func (p Profile) same(other Profile) bool {
	return p.Name == other.Name && slices.Equal(p.Services, other.Services) &&
		slices.Equal(p.Routes, other.Routes) && reflect.DeepEqual(p.Overrides, other.Overrides)
}

// profilesChange says of the profiles those that differ, or, where only their order
// does, all names in their order.
func profilesChange(old, new []Profile) Change {
	c := Change{Name: "profiles", Old: unlike(old, new), New: unlike(new, old)}
	if c.Old == "" && c.New == "" {
		names := func(all []Profile) string {
			list := make([]string, len(all))
			for i, p := range all {
				list[i] = p.Name
			}
			return strings.Join(list, ", ")
		}
		c.Old, c.New = names(old), names(new)
	}
	return c
}

// unlike describes the profiles that the others do not have in the same words.
func unlike(profiles, others []Profile) string {
	var list []string
	for _, p := range profiles {
		if !slices.ContainsFunc(others, p.same) {
			list = append(list, p.words())
		}
	}
	return strings.Join(list, "; ")
}

// words is the profile in one line.
func (p Profile) words() string {
	var parts []string
	if len(p.Services) > 0 {
		parts = append(parts, "service "+strings.Join(p.Services, "|"))
	}
	if len(p.Routes) > 0 {
		parts = append(parts, "route "+strings.Join(p.Routes, "|"))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Overrides)) {
		parts = append(parts, name+"="+p.Overrides[name])
	}
	return p.Name + " (" + strings.Join(parts, ", ") + ")"
}

// Reloaded returns what is in force after a reload: old, with the reloadable
// settings and the profiles of new. Contradictions that only the mixture has are
// the error, and then old stays in force.
func Reloaded(old, new *Settings) (*Settings, error) {
	mixed := *old
	mixed.origins = map[string]string{}
	for i := range table {
		r := &table[i]
		from := old
		if r.reloads(old, new) {
			from = new
			reflect.ValueOf(r.ptr(&mixed)).Elem().Set(reflect.ValueOf(r.ptr(new)).Elem())
		}
		if o, ok := from.origins[r.Name]; ok {
			mixed.origins[r.Name] = o
		}
	}
	mixed.Profiles = slices.Clone(new.Profiles)
	for i := range mixed.Profiles {
		mixed.Profiles[i].resolve(&mixed)
	}
	var problems Problems
	mixed.contradictions(&problems)
	if err := problems.err(); err != nil {
		return old, err
	}
	return &mixed, nil
}

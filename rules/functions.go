package rules

import (
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

var helperNames = map[string]bool{
	"recipients": true, "urls": true, "host": true, "in_domains": true, "is_private": true, "texts": true, "norm": true,
}

// functions declares the helper functions of the predicate language over h.
func functions(h Helpers) []cel.EnvOption {
	strings := cel.ListType(cel.StringType)
	return []cel.EnvOption{
		anyToStrings("recipients", h.Recipients),
		anyToStrings("urls", h.URLs),
		anyToStrings("texts", h.Texts),
		stringToString("host", h.Host),
		stringToString("norm", h.Norm),
		cel.Function("is_private", cel.Overload("is_private_string", []*cel.Type{cel.StringType}, cel.BoolType,
			cel.UnaryBinding(func(v ref.Val) ref.Val {
				s, ok := v.(types.String)
				if !ok {
					return types.MaybeNoSuchOverloadErr(v)
				}
				return types.Bool(h.IsPrivate(string(s)))
			}))),
		cel.Function("in_domains", cel.Overload("in_domains_string_list", []*cel.Type{cel.StringType, strings}, cel.BoolType,
			cel.BinaryBinding(func(v, list ref.Val) ref.Val {
				s, ok := v.(types.String)
				if !ok {
					return types.MaybeNoSuchOverloadErr(v)
				}
				domains, ok := stringList(list)
				if !ok {
					return types.MaybeNoSuchOverloadErr(list)
				}
				return types.Bool(h.InDomains(string(s), domains))
			}))),
	}
}

func anyToStrings(name string, f func(any) []string) cel.EnvOption {
	return cel.Function(name, cel.Overload(name+"_dyn", []*cel.Type{cel.DynType}, cel.ListType(cel.StringType),
		cel.UnaryBinding(func(v ref.Val) ref.Val {
			args, ok := v.(*readArgs)
			if !ok {
				return types.NewStringList(types.DefaultTypeAdapter, f(native(v)))
			}
			for i := range args.read {
				if args.read[i].by == name {
					return args.read[i].list
				}
			}
			list := types.NewStringList(types.DefaultTypeAdapter, f(native(v)))
			args.read = append(args.read, reading{name, list})
			return list
		})))
}

// readArgs are the arguments of one event with what helper functions have found in the whole of them: many rules ask for the same.
// It belongs to the goroutine of one Match.
type readArgs struct {
	traits.Mapper
	size int // by weight; 0 until asked
	read []reading
}

type reading struct {
	by   string // the function
	list ref.Val
}

// eventArgs makes decoded arguments a value of the predicate language.
func eventArgs(args any) ref.Val {
	v := types.DefaultTypeAdapter.NativeToValue(args)
	if m, ok := v.(traits.Mapper); ok {
		return &readArgs{Mapper: m}
	}
	return v
}

// weigh is weight for a value of the predicate language.
func weigh(v ref.Val) int {
	args, ok := v.(*readArgs)
	if !ok {
		return weight(native(v))
	}
	if args.size == 0 {
		args.size = weight(native(v))
	}
	return args.size
}

func stringToString(name string, f func(string) string) cel.EnvOption {
	return cel.Function(name, cel.Overload(name+"_string", []*cel.Type{cel.StringType}, cel.StringType,
		cel.UnaryBinding(func(v ref.Val) ref.Val {
			s, ok := v.(types.String)
			if !ok {
				return types.MaybeNoSuchOverloadErr(v)
			}
			return types.String(f(string(s)))
		})))
}

// native turns a CEL value back into decoded JSON. Values that came from an event are returned as they are; lists and maps that
// the expression built are copied.
func native(v ref.Val) any {
	switch x := v.(type) {
	case types.String:
		return string(x)
	case types.Bool:
		return bool(x)
	case types.Int:
		return int64(x)
	case types.Uint:
		return uint64(x)
	case types.Double:
		return float64(x)
	case types.Null:
		return nil
	case *types.Optional:
		if x.HasValue() {
			return native(x.GetValue())
		}
		return nil
	}
	switch x := v.Value().(type) {
	case map[string]any, []any, []string:
		return x
	case map[string][]string:
		return x
	}
	switch x := v.(type) {
	case traits.Mapper:
		out := make(map[string]any, int(sizeOf(x.Size())))
		for it := x.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			if name, ok := k.(types.String); ok {
				out[string(name)] = native(x.Get(k))
			}
		}
		return out
	case traits.Lister:
		n := int64(sizeOf(x.Size()))
		out := make([]any, 0, n)
		for i := range n {
			out = append(out, native(x.Get(types.Int(i))))
		}
		return out
	}
	return nil
}

func sizeOf(v ref.Val) types.Int {
	n, _ := v.(types.Int)
	return n
}

var stringSlice = reflect.TypeFor[[]string]()

func stringList(v ref.Val) ([]string, bool) {
	if list, ok := v.Value().([]string); ok {
		return list, true
	}
	list, err := v.ConvertToNative(stringSlice)
	if err != nil {
		return nil, false
	}
	out, ok := list.([]string)
	return out, ok
}

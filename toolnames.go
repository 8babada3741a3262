package sallyport

import "strings"

// nativeTool turns the name under which a tool is listed into the service and
// the name under which it is called.
//
// A call carries the service and the native name apart. A list that the gateway
// merged from several targets shows "<service>_<name>" instead, so a rule or a
// pin that is written on (service, name) must undo that. The longest service
// that fits wins, since one target may be called "git" and another "git_hub".
// With one target names are taken as they are; see callNames for the exception.
func nativeTool(listed string, services []string) (service, name string) {
	best := ""
	for _, s := range services {
		if len(s) > len(best) && len(listed) > len(s)+1 && listed[len(s)] == '_' && strings.HasPrefix(listed, s) {
			best = s
		}
	}
	switch {
	case len(services) == 1:
		return services[0], listed
	case best != "":
		return best, listed[len(best)+1:]
	default:
		return "", listed
	}
}

// callNames lists every (service, name) under which a listed tool may be called
// as far as this list can tell. A single target with a prefix may be a gateway
// that always prefixes, or a tool whose native name looks like that: policy has
// to hold for both readings.
func callNames(listed string, services []string) [][2]string {
	service, name := nativeTool(listed, services)
	names := [][2]string{{service, name}}
	if len(services) == 1 {
		if rest, ok := strings.CutPrefix(listed, services[0]+"_"); ok && rest != "" {
			names = append(names, [2]string{services[0], rest})
		}
		return names
	}
	if service == "" { // names are plain and the target is unknown: any of them
		for _, s := range services {
			names = append(names, [2]string{s, listed})
		}
	}
	return names
}

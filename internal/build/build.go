// Package build says which build of Sallyport is running.
//
// It owns the version facts that the version command, the admin listener, the build_info metric and the audit lines
// show. It never reads files or the environment. Release builds set the three variables below with the linker:
//
//	go build -ldflags "-X github.com/sallyport-mcp/sallyport/internal/build.version=v1.2.3"
//
// Whatever the linker did not set comes from the module and version-control data that the Go toolchain embeds.
package build

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// Set by the linker; empty in a plain "go build" or "go test".
var (
	version  string
	revision string
	date     string
)

// modulePath is how an embedding program's build data names us.
const modulePath = "github.com/sallyport-mcp/sallyport"

// develVersion is reported when nothing knows a version.
const develVersion = "devel"

// Info describes one build. The zero value of a field means "not known".
type Info struct {
	Version  string `json:"version"`            // "v1.2.3", a pseudo-version, or "devel"; never empty
	Revision string `json:"revision,omitempty"` // version-control commit, in full
	Date     string `json:"date,omitempty"`     // RFC 3339, of the commit unless the linker gave another
	Modified bool   `json:"modified,omitempty"` // the working tree had changes that were not committed
	Go       string `json:"go"`                 // toolchain, for example "go1.27.3"
	Platform string `json:"platform"`           // "linux/amd64"
}

// Current returns the facts about the running program. The result never changes while the process lives.
var Current = sync.OnceValue(func() Info {
	bi, _ := debug.ReadBuildInfo()
	return merge(Info{Version: version, Revision: revision, Date: date}, bi)
})

// Version returns Current().Version.
func Version() string { return Current().Version }

// String renders one line, for example "sallyport v1.2.3 (1a2b3c4d5e6f, 2026-01-02T03:04:05Z) go1.27.3 linux/amd64".
func (i Info) String() string {
	s := "sallyport " + i.Version
	if i.Revision != "" {
		s += " (" + shorten(i.Revision)
		if i.Modified {
			s += "+changes"
		}
		if i.Date != "" {
			s += ", " + i.Date
		}
		s += ")"
	}
	return fmt.Sprintf("%s %s %s", s, i.Go, i.Platform)
}

// merge fills what the linker left empty from bi, which may be nil. When Sallyport is a dependency of another program,
// the version-control data describes that program and is not ours to report.
func merge(i Info, bi *debug.BuildInfo) Info {
	i.Go, i.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	if bi != nil {
		if bi.Main.Path == modulePath {
			i = fromSettings(i, bi)
		} else {
			i = fromDependency(i, bi)
		}
	}
	if i.Version == "" {
		i.Version = develVersion
	}
	return i
}

func fromSettings(i Info, bi *debug.BuildInfo) Info {
	if i.Version == "" && bi.Main.Version != "(devel)" {
		i.Version = bi.Main.Version
	}
	for _, s := range bi.Settings {
		switch {
		case s.Key == "vcs.revision" && i.Revision == "":
			i.Revision = s.Value
		case s.Key == "vcs.time" && i.Date == "":
			i.Date = s.Value
		case s.Key == "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i
}

func fromDependency(i Info, bi *debug.BuildInfo) Info {
	for _, m := range bi.Deps {
		if m.Path != modulePath || i.Version != "" {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		i.Version = m.Version
	}
	return i
}

func shorten(rev string) string {
	if len(rev) > 12 {
		return rev[:12]
	}
	return rev
}

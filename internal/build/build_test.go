package build

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMerge(t *testing.T) {
	ours := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: version}, Settings: settings}
	}
	vcs := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"},
		{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	tests := map[string]struct {
		linker Info
		bi     *debug.BuildInfo
		want   Info
	}{
		"nothing known": {want: Info{Version: "devel"}},
		"plain go build in a checkout": {
			bi:   ours("(devel)", vcs...),
			want: Info{Version: "devel", Revision: "0123456789abcdef0123", Date: "2026-01-02T03:04:05Z", Modified: true},
		},
		"go install of a tag": {bi: ours("v1.2.3"), want: Info{Version: "v1.2.3"}},
		"the linker wins": {
			linker: Info{Version: "v9.0.0", Revision: "feed", Date: "2027-01-01T00:00:00Z"},
			bi:     ours("v1.2.3", vcs...),
			want:   Info{Version: "v9.0.0", Revision: "feed", Date: "2027-01-01T00:00:00Z", Modified: true},
		},
		"embedded: the host's commit is not ours": {
			bi: &debug.BuildInfo{
				Main: debug.Module{Path: "example.com/gateway", Version: "v7.0.0"}, Settings: vcs,
				Deps: []*debug.Module{{Path: "example.com/x", Version: "v0.1.0"}, {Path: modulePath, Version: "v1.4.0"}},
			},
			want: Info{Version: "v1.4.0"},
		},
		"embedded by replace": {
			bi: &debug.BuildInfo{
				Main: debug.Module{Path: "example.com/gateway"},
				Deps: []*debug.Module{{Path: modulePath, Version: "v1.4.0", Replace: &debug.Module{Path: "../fork"}}},
			},
			want: Info{Version: "devel"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := merge(tc.linker, tc.bi)
			tc.want.Go, tc.want.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
			require.Equal(t, tc.want, got)
		})
	}
}

func TestStringIsOneLine(t *testing.T) {
	i := Info{Version: "v1.2.3", Revision: "0123456789abcdef", Date: "2026-01-02T03:04:05Z", Modified: true, Go: "go1.27.3", Platform: "linux/amd64"}
	require.Equal(t, "sallyport v1.2.3 (0123456789ab+changes, 2026-01-02T03:04:05Z) go1.27.3 linux/amd64", i.String())
	require.Equal(t, "sallyport devel go1.27.3 linux/amd64", Info{Version: "devel", Go: "go1.27.3", Platform: "linux/amd64"}.String())
}

func TestCurrentIsFilled(t *testing.T) {
	require.NotEmpty(t, Version())
	require.Equal(t, Version(), Current().Version)
	require.Equal(t, runtime.Version(), Current().Go)
}

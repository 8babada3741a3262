package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestACL(t *testing.T) {
	for _, tc := range []struct {
		name          string
		allow, deny   []string
		service, tool string
		want          bool
	}{
		{"no lists", nil, nil, "s", "t", true},
		{"denied by name", nil, []string{"delete_repo"}, "git", "delete_repo", false},
		{"denied whatever the case", nil, []string{"Delete_Repo"}, "git", "DELETE_repo", false},
		{"denied with blanks around", nil, []string{" delete_repo "}, "git", "delete_repo\t", false},
		{"denied by glob", nil, []string{"delete_*"}, "git", "delete_repo", false},
		{"not denied: longer name", nil, []string{"delete_repo"}, "git", "delete_repo2", true},
		{"a dot is a dot", nil, []string{"fs.read"}, "", "fsxread", true},
		{"denied on one service", nil, []string{"git/delete_*"}, "git", "delete_repo", false},
		{"allowed on another", nil, []string{"git/delete_*"}, "wiki", "delete_repo", true},
		{"denied on services by glob", nil, []string{"*-prod/*"}, "db-prod", "anything", false},
		{"denied by the tool's own name with a slash", nil, []string{"fs/read"}, "gateway", "fs/read", false},
		{"allowed", []string{"read_*"}, nil, "s", "read_file", true},
		{"not on the list", []string{"read_*"}, nil, "s", "write_file", false},
		{"deny wins", []string{"*"}, []string{"write_*"}, "s", "write_file", false},
		{"allowed on a service", []string{"git/*"}, nil, "git", "x", true},
		{"not allowed on another", []string{"git/*"}, nil, "evil", "x", false},
		{"a server cannot name its way in", []string{"git/*"}, nil, "evil", "git/x", false},
		{"a tool with a slash, allowed", []string{"*/fs/read"}, nil, "gateway", "fs/read", true},
		{"question mark", []string{"v?"}, nil, "s", "v1", true},
		{"question mark is one character", []string{"v?"}, nil, "s", "v10", false},
		{"no tool, open list", nil, []string{"x"}, "s", "", true},
		{"no tool, allow list", []string{"x"}, nil, "s", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, err := NewACL(tc.allow, tc.deny)
			require.NoError(t, err)
			require.Equal(t, tc.want, a.Allowed(tc.service, tc.tool))
		})
	}
	require.True(t, (*ACL)(nil).Allowed("s", "t"))
}

func TestACLErrors(t *testing.T) {
	_, err := NewACL([]string{"ok", ""}, nil)
	require.EqualError(t, err, `allow list: "" is neither a tool nor service/tool`)
	_, err = NewACL(nil, []string{"git/"})
	require.EqualError(t, err, `deny list: "git/" is neither a tool nor service/tool`)
	_, err = NewACL(nil, []string{strings.Repeat("x", 2000)})
	require.EqualError(t, err, `deny list: holds a glob over 256 bytes`)
}

func TestMatchers(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"fs.read", "fs.read", true},
		{"fs.read", "fsxread", false},
		{"fs.read", "xfs.read", false},
		{"*", "", true},
		{"*", "a/b", true},
		{"a*", "ab", true},
		{"a*c", "abc", true},
		{"a*c", "ac", true},
		{"a*c", "a", false},
		{"*b*", "abc", true},
		{"a?c", "a\u00e4c", true},
		{"a?c", "ac", false},
		{"**", "x", true},
		{"a*a", "a", false},
		{"/b/", "abc", true},
		{"/^b/", "abc", false},
		{"/(?i)SHELL/", "my_shell", true},
		{"/", "/", true},
		{"Exact", "exact", false},
	} {
		p, err := compilePattern(tc.pattern)
		require.NoError(t, err)
		require.Equal(t, tc.want, p.match(tc.text), "%q against %q", tc.pattern, tc.text)
	}
}

// The two-pointer glob agrees with the obvious recursive one.
func TestGlobAgreesWithRecursion(t *testing.T) {
	var obvious func(p, s []rune) bool
	obvious = func(p, s []rune) bool {
		switch {
		case len(p) == 0:
			return len(s) == 0
		case p[0] == '*':
			return obvious(p[1:], s) || len(s) > 0 && obvious(p, s[1:])
		default:
			return len(s) > 0 && (p[0] == '?' || p[0] == s[0]) && obvious(p[1:], s[1:])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab\x{e4}*?]{0,8}[*?]`).Draw(t, "pattern")
		text := rapid.StringMatching(`[ab\x{e4}]{0,10}`).Draw(t, "text")
		require.Equal(t, obvious([]rune(pattern), []rune(text)), newGlob(pattern).match(text))
	})
}

package content

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnescape(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"bob%40evil.example", "bob@evil.example"},
		{"bob%2540evil.example", "bob%40evil.example"},
		{"bob&#64;evil&period;example", "bob@evil.example"},
		{"bob&#x40;evil.example", "bob@evil.example"},
		{`bob\u0040evil.example`, "bob@evil.example"},
		{`https:\/\/evil.example`, "https://evil.example"},
		{"b%C3%BCcher", "b\u00fccher"},
		{"%FF", "\ufffd"},
	} {
		got, changed := Unescape(tc.in)
		require.True(t, changed, tc.in)
		require.Equal(t, tc.want, got, tc.in)
	}
	for _, plain := range []string{"", "100% & more \\ less", "a%4", "&zzzz;"} {
		got, changed := Unescape(plain)
		require.False(t, changed, plain)
		require.Equal(t, plain, got)
	}
}

func TestNarrow(t *testing.T) {
	s, err := Compile(nil, []AllowEntry{{Detector: "email", Literal: "a@site.example"}, {Detector: "email", Literal: "b@site.example"}})
	require.NoError(t, err)
	d, err := Parse([]byte(`{"content":[{"type":"text","text":"a@site.example b@site.example c@site.example"}]}`), Limits{})
	require.NoError(t, err)
	require.NoError(t, d.Assign("tools/call", SideResponse))
	count := func(s *Scanner) int {
		r, err := s.Scan(context.Background(), d, SideResponse)
		require.NoError(t, err)
		return len(r.Findings)
	}
	require.Equal(t, 1, count(s))
	require.Equal(t, 2, count(s.Narrow(func(i int) bool { return i == 1 })))
	require.Equal(t, 3, count(s.Narrow(func(int) bool { return false })))
	require.Equal(t, 1, count(s), "the scanner itself is unchanged")
}

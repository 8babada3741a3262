package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSurfaceOf(t *testing.T) {
	for kind, want := range map[string]surface{
		"tool_descriptions:tool_description": inTool, "tool_descriptions:param_description": inParam, "tool_schemas:tool_json": inList,
		"tool_params:call": inParams, "tool_results:page": inResult, "": inResult,
	} {
		require.Equal(t, want, surfaceOf(kind), kind)
	}
}

// TestReadTellsTheSurface: a set may say where its texts stand itself.
func TestReadTellsTheSurface(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"text":"a","label":1,"surface":"description"}`+"\n"+`{"text":"b","label":0,"surface":"params"}`+"\n"), 0o600))
	rows, err := read(path)
	require.NoError(t, err)
	require.Equal(t, []row{{text: "a", label: 1, at: inTool}, {text: "b", at: inParams}}, rows)

	require.NoError(t, os.WriteFile(path, []byte("{\"text\":\"a\"}\n{"), 0o600))
	_, err = read(path)
	require.ErrorContains(t, err, "line 2")
}

// TestSampleIsStable: the texts that a sample keeps depend on the set alone, stay in order, and are as many of each
// label as were asked for.
func TestSampleIsStable(t *testing.T) {
	var rows []row
	for i := range 100 {
		rows = append(rows, row{text: string(rune('a' + i)), label: i % 3 / 2})
	}
	one := sample(rows, 7, "x")
	require.Equal(t, one, sample(rows, 7, "x"))
	require.NotEqual(t, one, sample(rows, 7, "y"))
	var labels [2]int
	for i, r := range one {
		labels[r.label]++
		require.True(t, i == 0 || one[i-1].text < r.text)
	}
	require.Equal(t, [2]int{7, 7}, labels)
}

func TestInsert(t *testing.T) {
	r := random("x")
	require.Equal(t, `{"a": "some text ATTACK"}`, insert(r, `{"a": "some text"}`, "ATTACK"))
	require.Equal(t, "One sentence.  ATTACKthen more", insert(r, "One sentence. then more", "ATTACK"))
	require.Equal(t, "no end ATTACK", insert(r, "no end", "ATTACK"))
}

// TestComposedAttacksHaveTheirCarrier: every composed attack stands beside its carrier alone.
func TestComposedAttacksHaveTheirCarrier(t *testing.T) {
	sets, err := load(folder(t))
	require.NoError(t, err)
	composed := 0
	for _, s := range sets {
		if !s.composed {
			continue
		}
		composed++
		require.NotEmpty(t, s.rows)
		for i := 0; i < len(s.rows); i += 2 {
			require.Equal(t, 1, s.rows[i].label)
			require.Equal(t, 0, s.rows[i+1].label)
			require.Greater(t, len(s.rows[i].text), len(s.rows[i+1].text))
		}
	}
	require.Equal(t, 3, composed)
}

package judge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
	"github.com/sallyport-mcp/sallyport/models/judge"
)

// golden is one text with what the training pipeline made of it.
type golden struct {
	Name    string  `json:"name"`
	Label   int     `json:"label"`
	Text    string  `json:"text"`
	IDs     []int32 `json:"ids"` // of the whole text, control tokens included
	Windows int     `json:"windows"`
	Score   float64 `json:"score"` // the highest of its windows
}

func lines[T any](t *testing.T, path string) []T {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var out []T
	scanner := bufio.NewScanner(bytes.NewReader(raw))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var row T
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &row))
		out = append(out, row)
	}
	require.NoError(t, scanner.Err())
	return out
}

func goldens(t *testing.T) []golden {
	t.Helper()
	out := lines[golden](t, "testdata/golden.jsonl")
	require.GreaterOrEqual(t, len(out), 60)
	return out
}

// open loads the model once for a test.
func open(t *testing.T) *inference.Classifier {
	t.Helper()
	c, err := inference.Open(inference.FS(judge.FS()), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// highest is the score of a text as the pool would read it.
func highest(t *testing.T, c *inference.Classifier, text string) float64 {
	t.Helper()
	windows, report := c.Plan(nil, text, inference.PlanOptions{Budget: 64})
	require.Zero(t, report.Dropped)
	if len(windows) == 0 {
		return 0
	}
	scores, err := c.Run(inference.RunControl{}, windows)
	require.NoError(t, err)
	top := 0.0
	for _, s := range scores {
		top = max(top, float64(s))
	}
	return top
}

func TestTokenIDsEqualThoseOfTraining(t *testing.T) {
	raw, err := fs.ReadFile(judge.FS(), "tokenizer.json")
	require.NoError(t, err)
	tok, err := tokenizer.Parse(raw)
	require.NoError(t, err)
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			ids := append([]int32{}, tok.Prefix()...)
			for _, token := range tok.Encode(nil, g.Text) {
				ids = append(ids, token.ID)
			}
			require.Equal(t, g.IDs, append(ids, tok.Suffix()...))
		})
	}
}

// Ids are those of training, cut into one window, so this compares the runtime and the
// exported weights with the reference, without window planning.
func TestScoresEqualThoseOfTraining(t *testing.T) {
	c := open(t)
	var windows []inference.Window
	var want []golden
	for _, g := range goldens(t) {
		if g.Windows == 1 {
			windows = append(windows, inference.Window{IDs: g.IDs})
			want = append(want, g)
		}
	}
	require.Greater(t, len(want), 50)
	scores, err := c.Run(inference.RunControl{}, windows)
	require.NoError(t, err)
	for i, g := range want {
		require.InDelta(t, g.Score, float64(scores[i]), 1e-4, g.Name)
	}
}

// floor is what a judge must reach on hand-written texts to replace the one before:
// counts of attacks at each threshold at least, of false positives at most.
type floor struct {
	Attacks         int `json:"attacks"`
	AttacksBlocked  int `json:"attacks_blocked"`
	AttacksReviewed int `json:"attacks_reviewed"`
	Benign          int `json:"benign"`
	BenignBlocked   int `json:"benign_blocked"`
	BenignReviewed  int `json:"benign_reviewed"`
}

func (f *floor) count(label int, score, block, review float64) {
	all, blocked, reviewed := &f.Benign, &f.BenignBlocked, &f.BenignReviewed
	if label == 1 {
		all, blocked, reviewed = &f.Attacks, &f.AttacksBlocked, &f.AttacksReviewed
	}
	*all++
	if score >= block {
		*blocked++
	}
	if score >= review {
		*reviewed++
	}
}

// noWorse fails the test where it is on the wrong side of least.
func (f *floor) noWorse(t *testing.T, name string, least floor) {
	t.Helper()
	t.Logf("%s: measured %+v, floor %+v", name, *f, least)
	require.Equal(t, least.Attacks, f.Attacks, name)
	require.Equal(t, least.Benign, f.Benign, name)
	require.GreaterOrEqual(t, f.AttacksBlocked, least.AttacksBlocked, name)
	require.GreaterOrEqual(t, f.AttacksReviewed, least.AttacksReviewed, name)
	require.LessOrEqual(t, f.BenignBlocked, least.BenignBlocked, name)
	require.LessOrEqual(t, f.BenignReviewed, least.BenignReviewed, name)
}

// committed are the floors of testdata, which the pipeline writes (golden.floors).
type committed struct {
	Golden            floor `json:"golden"`
	Regression        floor `json:"regression"`
	Cascade           floor `json:"cascade"`
	CascadeNotEnglish floor `json:"cascade_not_english"`
}

func floors(t *testing.T) committed {
	t.Helper()
	var want committed
	raw, err := os.ReadFile("testdata/floor.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &want))
	return want
}

// text is one hand-written text that no training grammar produced.
type text struct {
	Label         int
	Surface, Lang string
	Text          string
}

// written are the regression texts, which models/default owns.
func written(t *testing.T) []text {
	t.Helper()
	return lines[text](t, "../default/testdata/regression.jsonl")
}

// Golden texts are plain cases; the regression texts, which models/default owns, are
// paraphrases and harmless texts written to be mistaken.
func TestHandWrittenTextsAreNoWorseThanTheCommittedFloor(t *testing.T) {
	want := floors(t)
	c, limits := open(t), load(t).Thresholds
	var plain, hard floor
	for _, g := range goldens(t) {
		plain.count(g.Label, highest(t, c, g.Text), limits["result"].Block, limits["result"].Review)
	}
	for _, x := range written(t) {
		limit, known := limits[x.Surface]
		require.True(t, known, x.Surface)
		hard.count(x.Label, highest(t, c, x.Text), limit.Block, limit.Review)
	}
	plain.noWorse(t, "golden", want.Golden)
	hard.noWorse(t, "regression", want.Regression)
}

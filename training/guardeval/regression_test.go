package main

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
)

var rewriteFloor = flag.Bool("rewrite", false, "make what is measured the floor in testdata")

// floor is what the whole guardrail must reach on the regression texts of the default model: counts of attacks at
// least, of harmless texts at most. WithoutModel is what it blocks when the model says nothing, so that a better
// model does not hide that the detectors got worse.
type floor struct {
	AttacksBlocked       int `json:"attacks_blocked"`
	AttacksSeen          int `json:"attacks_seen"` // blocked or put before a person
	AttacksWithoutModel  int `json:"attacks_blocked_without_model"`
	HarmlessBlocked      int `json:"harmless_blocked"`
	HarmlessSeen         int `json:"harmless_seen"`
	HarmlessWithoutModel int `json:"harmless_blocked_without_model"`
}

// TestRegressionTextsAreNoWorseThanTheCommittedFloor sends the texts that the default model is held to
// through the whole engine. They are harder than traffic, so the figures are low; what counts is that they do not get
// worse unnoticed. With -rewrite the figures measured become the floor.
func TestRegressionTextsAreNoWorseThanTheCommittedFloor(t *testing.T) {
	const path = "testdata/regression-floor.json"
	rows, err := read("../../models/default/testdata/regression.jsonl")
	require.NoError(t, err)
	require.Greater(t, len(rows), 100)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	g, err := start(ctx, source("default"), onnxtest.Library(t), 2)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.stop()) }()
	sets := []set{{name: "regression", rows: rows}}
	answers, err := g.askAll(ctx, sets, 2, measure.NewProgress(nil))
	require.NoError(t, err)

	e := evaluate(g.model, sets, answers)
	a, h := e.All.Attacks, e.All.Harmless
	got := floor{a.Blocked, a.seen(), a.WithoutModel, h.Blocked, h.seen(), h.WithoutModel}
	t.Logf("of %d attacks and %d harmless texts: %+v; attacks by part %v, harmless by part %v", a.Texts, h.Texts, got, a.Review, h.Review)
	if *rewriteFloor {
		raw, err := json.Marshal(got, jsontext.WithIndent(" "))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(raw, '\n'), 0o600))
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var want floor
	require.NoError(t, json.Unmarshal(raw, &want, json.RejectUnknownMembers(true)))
	require.GreaterOrEqual(t, got.AttacksBlocked, want.AttacksBlocked)
	require.GreaterOrEqual(t, got.AttacksSeen, want.AttacksSeen)
	require.GreaterOrEqual(t, got.AttacksWithoutModel, want.AttacksWithoutModel)
	require.LessOrEqual(t, got.HarmlessBlocked, want.HarmlessBlocked)
	require.LessOrEqual(t, got.HarmlessSeen, want.HarmlessSeen)
	require.LessOrEqual(t, got.HarmlessWithoutModel, want.HarmlessWithoutModel)
}

package content

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScansDoNotMeet reads bodies in one order, and then in others from several goroutines: what a scan leaves in the
// memory that the next one takes over is seen by none, and reports outlive it.
func TestScansDoNotMeet(t *testing.T) {
	const readers, step = 4, 41
	type read struct {
		Report    Report
		Rewritten Rewritten
	}
	var bodies []string
	cases := 0
	for _, f := range readAccuracy(t) {
		for i := range f.cases {
			if cases++; cases%step == 0 {
				bodies = append(bodies, result("A text before.", f.cases[i].text, strings.ToUpper(f.cases[i].text)))
			}
		}
	}
	for _, tt := range benchTexts {
		bodies = append(bodies, result(strings.ToValidUTF8(tt.text[:min(len(tt.text), 2000)], "")))
	}
	for i := range 10 { // more than a scan lists
		bodies = append(bodies, result(strings.Repeat("kim@example.org, 4111 1111 1111 1111, "+toyToken+" ", 20*i)))
	}
	look := func(body string) (read, error) {
		d, err := Parse([]byte(body), Limits{})
		if err != nil {
			return read{}, err
		}
		if err := d.Assign("tools/call", SideResponse); err != nil {
			return read{}, err
		}
		r, err := Builtin().Scan(context.Background(), d, SideResponse)
		if err != nil {
			return read{}, err
		}
		out, err := Rewrite(d, Mutation{Mask: r.Findings})
		return read{r, out}, err
	}
	want := make([]read, len(bodies))
	for i, body := range bodies {
		var err error
		want[i], err = look(body)
		require.NoError(t, err)
	}
	require.Greater(t, len(bodies), 1000)
	got := make([][]read, readers)
	errs := make([]error, readers)
	var all sync.WaitGroup
	for k := range readers {
		got[k] = make([]read, len(bodies))
		all.Go(func() {
			for _, i := range rand.New(rand.NewPCG(uint64(k), 1)).Perm(len(bodies)) {
				if got[k][i], errs[k] = look(bodies[i]); errs[k] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for k := range readers {
		require.NoError(t, errs[k])
		for i := range bodies {
			if !reflect.DeepEqual(want[i], got[k][i]) {
				require.Equal(t, want[i], got[k][i], bodies[i])
			}
		}
	}
}

// TestCompilesDoNotMeet: two engines load their packs at once, and one beside the scans of the other. The race detector tells.
func TestCompilesDoNotMeet(t *testing.T) {
	var errs [2]error
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = Compile([]Detector{{Name: "badge", Pattern: "BADGE-[0-9]{6}"}}, nil) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs[:]...))
}

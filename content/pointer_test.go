package content

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPointersAreTheSameFromAnywhere says that the way to one string that is remembered leads to no other place than the way from
// the top.
func TestPointersAreTheSameFromAnywhere(t *testing.T) {
	inner := `{"k":["v",{"deep":"w"},"{\"a\":[[\"x\"],[[\"y\"]],\"z\"]}"],"` + strings.Repeat("long", 100) + `":{"` + strings.Repeat("name", 100) + `":["p","q"]}}`
	body := `{"structuredContent":[` + strings.Repeat(`{"a/b":[["x","y"],[],["z",{"~":"t"}]],"c":"d","e":`+marshal(inner)+`},`, 9) + `"u",["v"]],"s":` + marshal(inner) + `}`
	d := parse(t, "tools/call", SideResponse, body)
	var p pointers
	for i := range d.Strings() {
		require.Equal(t, d.Pointer(i), p.of(d, i))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 * len(d.Strings()) {
		i := r.IntN(len(d.Strings()))
		require.Equal(t, d.Pointer(i), p.of(d, i))
	}
}

// TestPointersDeepDownAreWrittenOnce says that the way to thousands of strings at the end of it is not gone again for each.
func TestPointersDeepDownAreWrittenOnce(t *testing.T) {
	deep := strings.Repeat("[", 100) + `"x",{"a":"y"},"z"` + strings.Repeat("]", 100)
	for _, body := range []string{deep, marshal(deep)} {
		d := parse(t, "tools/call", SideResponse, `{"structuredContent":[`+body+`]}`)
		var p pointers
		n := len(d.Strings())
		p.of(d, n-4)
		require.Greater(t, len(p.way), 100)
		for i, added := range []int{1, 0, 0} { // the names and values of an object, and what follows it
			p.of(d, n-3+i)
			require.Len(t, p.way, added)
		}
	}
}

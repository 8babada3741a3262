package drill

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/report"
)

func TestStretchesJoinPollsThatSayTheSame(t *testing.T) {
	var got []string
	stretches([]Poll{{0, "a"}, {1, "a"}, {2, "b"}, {3, "a"}}, func(from, to time.Duration, state string) {
		got = append(got, state+" "+from.String()+" "+to.String())
	})
	require.Equal(t, []string{"a 0s 2ns", "b 2ns 3ns", "a 3ns 3ns"}, got)
}

func TestManyCallsAreDrawnTogether(t *testing.T) {
	few := calls(sec, OK, Refused)
	require.Len(t, together(few), 2)
	many := append(calls(sec, make([]Result, 200)...), calls(2*sec, make([]Result, 100)...)...)
	for i := range many {
		many[i].Result = OK
	}
	got := together(many)
	require.Len(t, got, 2)
	require.Equal(t, "200 ok", got[0].Detail)
	require.Equal(t, 2*sec, got[1].Start)
}

func TestPollsStayInTheOrderInWhichTheyWereAsked(t *testing.T) {
	var polls []Poll
	for _, at := range []time.Duration{2, 1, 3} {
		polls = insert(polls, Poll{At: at})
	}
	require.Equal(t, []Poll{{At: 1}, {At: 2}, {At: 3}}, polls)
}

func TestReportAndPageSayWhatDoesNotHold(t *testing.T) {
	verdicts := []*Verdict{
		{Row: Row{Name: "drain", Story: "all is well", Signals: []time.Duration{0}}, Outcome: &Outcome{Calls: calls(0, OK), Exit: sec, Slow: calls(0, OK)}, Checks: []Check{{"it holds", true, "yes"}}},
		{Row: Row{Name: "bad", Story: "all is lost", Signals: []time.Duration{0}}, Outcome: &Outcome{Code: 1, Exit: sec}, Checks: []Check{{"it breaks", false, "no"}}},
	}
	var text strings.Builder
	require.NoError(t, Report(verdicts, sec).Write(&text, report.TextEncoding))
	require.Contains(t, text.String(), "FAIL")
	require.Contains(t, text.String(), "Timeline of row drain")
	page := Markdown(verdicts, sec, "drill.svg")
	require.Contains(t, page, "| drain | all is well | 1 ok of 1 |")
	require.Contains(t, page, "![Timeline of row drain](drill.svg)")
	require.Contains(t, page, "| it breaks | no | **no** |")
	picture, err := verdicts[0].Picture()
	require.NoError(t, err)
	for tokens := xml.NewDecoder(bytes.NewReader(picture)); ; {
		_, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, "it is XML to its end")
	}
	require.Contains(t, string(picture), "--good")
	require.True(t, verdicts[0].Held())
	require.False(t, verdicts[1].Held())
}

package report_test

import (
	"os"
	"time"

	"github.com/sallyport-mcp/sallyport/internal/report"
)

func Example() {
	r := report.New("Latency", "Ten thousand calls at a fixed rate.")
	r.Fact("CPU", "2 cores")
	t := &report.Table{Columns: report.Columns("rate (calls/s)", "p50", "p99", "kept the promise")}
	t.Row(100, 9*time.Millisecond, 31*time.Millisecond, report.Check(true))
	t.Row(200, 33*time.Millisecond, 1250*time.Millisecond, report.Check(false))
	r.Section("By rate", t)
	if err := r.Write(os.Stdout, report.TextEncoding); err != nil {
		panic(err)
	}
	// Output:
	// Latency
	// =======
	// Ten thousand calls at a fixed rate.
	//
	// CPU  2 cores
	//
	// By rate
	// -------
	// rate (calls/s)    p50     p99  kept the promise
	// --------------  -----  ------  ----------------
	//            100   9 ms   31 ms  ok
	//            200  33 ms  1.25 s  FAIL
}

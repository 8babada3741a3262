package config_test

import (
	"fmt"

	"github.com/sallyport-mcp/sallyport/internal/config"
)

func ExampleLoad() {
	_, err := config.Load(config.Sources{Environ: []string{"FAILURE_MODE=open", "MAX_INFLIGHT=0"}})
	fmt.Println(err)
	s, err := config.Load(config.Sources{Environ: []string{"FAILURE_MODE=FAILOPEN"}})
	fmt.Println(s.FailureMode, s.Origin("FAILURE_MODE"), err)
	// Output:
	// configuration: 2 problems
	//   FAILURE_MODE: "open" is not one of failClosed, failOpen
	//   MAX_INFLIGHT: "0" is not within 1 to 65536
	// failOpen FAILURE_MODE <nil>
}

func ExampleDiff() {
	running, _ := config.Load(config.Sources{Environ: []string{}})
	asked, _ := config.Load(config.Sources{Environ: []string{"DRY_RUN=yes", "MAX_INFLIGHT=100"}})
	changes := config.Diff(running, asked)
	fmt.Println("now:", changes.Reloadable)
	fmt.Println("after a restart:", changes.Restart)
	// Output:
	// now: [{DRY_RUN false true}]
	// after a restart: [{MAX_INFLIGHT 256 100}]
}

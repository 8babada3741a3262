package grpcapi

import (
	"fmt"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// observed returns a logger and its entries as text.
func observed() (*zap.Logger, func() string) {
	core, logs := observer.New(zap.DebugLevel)
	return zap.New(core), func() string {
		text := ""
		for _, e := range logs.All() {
			text += fmt.Sprintln(e.Level, e.Message, e.ContextMap())
		}
		return text
	}
}

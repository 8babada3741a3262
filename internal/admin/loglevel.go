package admin

import (
	"encoding/json/v2"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// levels are those that LOG_LEVEL takes: above error nothing would be said any more.
var levels = map[string]zapcore.Level{
	"debug": zap.DebugLevel, "info": zap.InfoLevel, "warn": zap.WarnLevel, "error": zap.ErrorLevel,
}

// levelBody is what is shown and what is sent.
type levelBody struct {
	Level string `json:"level"`
}

// showLevel answers with the level in force.
func showLevel(level *zap.AtomicLevel) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, levelBody{level.String()})
	}
}

// setLevel takes a level and answers with it. The body is JSON whatever its type is said
// to be: curl calls everything a form.
func setLevel(level *zap.AtomicLevel) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var wanted levelBody
		if err := json.UnmarshalRead(r.Body, &wanted, json.RejectUnknownMembers(true)); err != nil {
			refuseLevel(w, errors.New(`want {"level":"debug"}`))
			return
		}
		l, ok := levels[strings.ToLower(wanted.Level)]
		if !ok {
			refuseLevel(w, fmt.Errorf("level %q is not one of debug, info, warn, error", wanted.Level))
			return
		}
		level.SetLevel(l)
		showLevel(level)(w, r)
	}
}

func refuseLevel(w http.ResponseWriter, err error) {
	writeJSON(w, http.StatusBadRequest, struct {
		Error string `json:"error"`
	}{err.Error()})
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/config"
	"github.com/sallyport-mcp/sallyport/internal/folder"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/rules"
)

// namedFiles lists what is wrong with the files and folders that the settings name and
// with the variables of tracing, as serve would find it, but all at once, without
// binding or serving anything, and without leaving a file behind.
func namedFiles(s *config.Settings) error {
	var found config.Problems
	add := func(setting string, err error) {
		if err != nil {
			found = append(found, config.Problem{Where: s.Origin(setting), Setting: setting, Text: strings.TrimPrefix(visible(err.Error()), setting+": ")})
		}
	}
	if path, ok := strings.CutPrefix(s.ListenAddr, "unix:"); ok {
		add("LISTEN_ADDR", socketFault(path))
	}
	if files := tlsFiles(s); files.Enabled() {
		add("TLS_CERT_FILE", files.Check())
	}
	for _, err := range packFaults(s.InvariantRulesPath) {
		add("INVARIANT_RULES_PATH", err)
	}
	add("PINS_FILE", pinsFault(s.PinsFile))
	setting, err := modelFault(s)
	add(setting, err)
	add("AUDIT_LOG_PATH", audit.Check(s.AuditLogPath))
	if s.AuditSignKeyFile != "" {
		_, err := signingKey(s.AuditSignKeyFile)
		add("AUDIT_SIGN_KEY_FILE", err)
	}
	if err := telemetry.CheckTracing(); err != nil { // names its variables itself, one on a line
		for text := range strings.SplitSeq(err.Error(), "\n") {
			found = append(found, config.Problem{Text: visible(text)})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// packFaults is everything that keeps a rule pack from being loaded.
func packFaults(path string) []error {
	if path == "" {
		return nil // the embedded one
	}
	err := sallyport.CheckPack(path)
	var places rules.Errors
	if !errors.As(err, &places) {
		return []error{err}
	}
	faults := make([]error, len(places))
	for i, p := range places {
		faults[i] = p
	}
	return faults
}

// modelFault opens the model, that of the binary too: the runtime that reads it lies
// beside the binary or is the system's.
func modelFault(s *config.Settings) (setting string, err error) {
	m := inBinary.models(s)
	own := s.Model != config.ModelDefault
	if m.judge == nil {
		return "", nil
	}
	setting = "MODEL"
	if !own {
		if setting = "MODEL_LABEL"; s.ModelLabel == "" {
			setting = "ONNXRUNTIME_LIB"
		}
	}
	lib, err := inference.OpenRuntime(s.ONNXRuntimeLib)
	if err != nil {
		return "ONNXRUNTIME_LIB", err
	}
	c, err := inference.Open(*m.judge, inference.Options{RuntimeLib: s.ONNXRuntimeLib, Label: s.ModelLabel})
	if err == nil {
		err = c.Close()
	}
	return setting, errors.Join(err, lib.Close())
}

// socketFault is why a socket could not be bound at path. One that is there may be
// somebody's, or left behind.
func socketFault(path string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%q exists and is not a socket", path)
	}
	return folder.Writable(filepath.Dir(path))
}

// pinsFault is why pins could not be read from a file, or not be kept there: each time
// it is written beside itself and renamed.
func pinsFault(path string) error {
	if err := sallyport.CheckPinsFile(path); err != nil || path == "" {
		return err
	}
	return folder.Writable(filepath.Dir(path))
}

package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sallyport-mcp/sallyport/actors" //nolint:depguard // the pool itself is what this command measures
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnx"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// subject is the model under test, opened twice: as the classifier that the pool
// uses, and as a session of the bare runtime with the same session options.
type subject struct {
	opts       Options
	classifier *inference.Classifier
	info       inference.Info
	session    *onnx.Session
	// wide makes windows as service does: wide ones for a model of one's own.
	wide bool
}

func open(o Options) (*subject, error) {
	s := &subject{opts: o, wide: o.Model != "default" && !o.Gate}
	var err error
	if s.classifier, err = s.load(); err != nil {
		return nil, err
	}
	s.info = s.classifier.Info()
	if s.session, err = s.bare(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the bare runtime: %w", err), s.classifier.Close())
	}
	return s, nil
}

func (s *subject) close() error { return errors.Join(s.session.Close(), s.classifier.Close()) }

func (s *subject) load() (*inference.Classifier, error) {
	src := inference.FS(defaultmodel.FS())
	if s.opts.Model != "default" {
		src = inference.Dir(s.opts.Model, s.opts.File)
	}
	return inference.Open(src, inference.Options{RuntimeLib: s.opts.Lib, SkipSelfTest: s.opts.Unproved})
}

func (s *subject) loadGate(context.Context) (actors.Classifier, error) {
	return inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: s.opts.Lib})
}

// bare opens the network without anything of ours around it.
func (s *subject) bare() (session *onnx.Session, err error) {
	lib, err := onnx.Open(s.opts.Lib)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lib.Close()) }()
	options := onnx.SessionOptions{}
	var header onnx.Header
	if s.opts.Model == "default" {
		f, err := defaultmodel.FS().Open(inference.DefaultModelFile)
		if err != nil {
			return nil, err
		}
		if options.Data, err = io.ReadAll(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		header, err = onnx.ReadHeader(bytes.NewReader(options.Data), int64(len(options.Data)))
		if err != nil {
			return nil, err
		}
	} else {
		file := s.opts.File
		if file == "" {
			file = inference.DefaultModelFile
		}
		options.Path = filepath.Join(s.opts.Model, file)
		f, err := os.Open(options.Path)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err == nil {
			header, err = onnx.ReadHeader(f, info.Size())
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	for _, in := range header.Inputs {
		options.Inputs = append(options.Inputs, in.Name)
	}
	options.Output = header.Outputs[0].Name // the classifier has checked that there is one
	return lib.NewSession(options)
}

package actors

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sallyport-mcp/sallyport/internal/plainfile"
	"github.com/sallyport-mcp/sallyport/messages"
)

// PinFile is a PinStore in one JSON file, written beside it and renamed, so that a
// reader and a crash see the old content or the new.
type PinFile string

type pinFileContent struct {
	Version int   `json:"version"`
	Pins    []Pin `json:"pins"`
}

// Load reads the file. A file that does not exist holds no pins; anything else
// that is not a pins file is an error that names it.
func (f PinFile) Load() ([]Pin, error) {
	data, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load pins: %w", err)
	}
	var c pinFileContent
	if err := json.Unmarshal(data, &c, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("load pins %q: %w", string(f), pinFault(err))
	}
	if c.Version != 1 {
		return nil, fmt.Errorf("load pins %q: version %d is not 1", string(f), c.Version)
	}
	if err := c.fault(); err != nil {
		return nil, fmt.Errorf("load pins %q: %w", string(f), err)
	}
	return c.Pins, nil
}

// fault is what no file holds that was saved: it would forget pins without a word.
func (c *pinFileContent) fault() error {
	if c.Pins == nil {
		return errors.New("it has no list of pins")
	}
	first := make(map[toolKey]int, len(c.Pins))
	for i, p := range c.Pins {
		key := toolKey{p.Service, p.Tool}
		if p.Hash == (messages.PinHash{}) {
			return fmt.Errorf("member \"/pins/%d\" has no hash", i)
		}
		if before, twice := first[key]; twice {
			return fmt.Errorf("members \"/pins/%d\" and \"/pins/%d\" are of the same tool", before, i)
		}
		first[key] = i
	}
	return nil
}

func (f PinFile) read() (data []byte, err error) {
	file, err := plainfile.Open(string(f)) // what comes out of a pipe could not be saved to it
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(file)
}

// pinFault says where a pins file is wrong, in words of the file and not of the
// types that it is read into.
func pinFault(err error) error {
	var unfit *json.SemanticError
	if !errors.As(err, &unfit) {
		return err
	}
	place := string(unfit.JSONPointer)
	switch {
	case place == "":
		return errors.New("it holds no object with version and pins")
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("unknown member %q at byte %d", place, unfit.ByteOffset)
	case unfit.Err != nil:
		return fmt.Errorf("member %q at byte %d: %w", place, unfit.ByteOffset, unfit.Err)
	}
	return fmt.Errorf("member %q at byte %d has the wrong type", place, unfit.ByteOffset)
}

// Save replaces the file.
func (f PinFile) Save(pins []Pin) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("save pins %q: %w", string(f), err)
		}
	}()
	data, err := json.Marshal(pinFileContent{Version: 1, Pins: pins}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(string(f)), filepath.Base(string(f))+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(append(data, '\n')); err != nil {
		_ = tmp.Close()
		return err
	}
	if err = tmp.Sync(); err != nil {
		_ = tmp.Close()
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), string(f))
}

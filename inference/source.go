package inference

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// DefaultModelFile is the network's file unless a Source names another.
const DefaultModelFile = "model.onnx"

// Source is where a model directory comes from.
type Source struct {
	files fs.FS
	// dir is the directory on disk, empty for a file system in memory.
	dir string
	// name is what errors call the directory.
	name string
	// model is the network's file in it.
	model string
}

// Dir is a directory on disk. file picks the network's file, such as a
// quantised one; empty means DefaultModelFile.
func Dir(path, file string) Source {
	if file == "" {
		file = DefaultModelFile
	}
	return Source{files: os.DirFS(path), dir: path, name: path, model: file}
}

// FS is a directory in memory, such as an embedded one. Its network must hold
// its own weights: external data needs a directory on disk.
func FS(files fs.FS) Source {
	return Source{files: files, name: "embedded model", model: DefaultModelFile}
}

// String is the directory's path or "embedded model".
func (s Source) String() string { return s.name }

// path names a file of the directory in errors.
func (s Source) path(file string) string {
	if s.dir == "" {
		return s.name + "/" + file
	}
	return filepath.Join(s.dir, filepath.FromSlash(file))
}

// largestText bounds the JSON files of a directory, in bytes. The largest
// vocabularies of this family make about 20 MB.
const largestText = 256 << 20

// read returns a JSON file of the directory.
func (s Source) read(file, want string) ([]byte, error) {
	f, err := s.open(file, want)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, largestText+1))
	if err != nil {
		return nil, &LoadError{File: s.path(file), Reason: fmt.Sprintf("cannot be read: %v", err), Err: err}
	}
	if len(data) > largestText {
		return nil, &LoadError{File: s.path(file), Reason: "is too large", Want: fmt.Sprintf("at most %d bytes", largestText)}
	}
	return data, nil
}

func (s Source) open(file, want string) (fs.File, error) {
	if !fs.ValidPath(file) {
		return nil, &LoadError{File: s.path(file), Reason: "is not a path inside the model directory", Want: want}
	}
	f, err := s.files.Open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &LoadError{File: s.path(file), Reason: "not found", Want: want, Err: err}
	case err != nil:
		return nil, &LoadError{File: s.path(file), Reason: fmt.Sprintf("cannot be opened: %v", err), Want: want, Err: err}
	}
	return f, nil
}

func (s Source) has(file string) bool {
	_, err := fs.Stat(s.files, file)
	return err == nil
}

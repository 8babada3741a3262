package onnx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Header is what a model file says about itself, without its weights.
type Header struct {
	IRVersion int64
	Producer  string
	// Opset is the version of the standard operators; Domains holds those of
	// other operator sets.
	Opset   int64
	Domains map[string]int64
	Inputs  []Port
	Outputs []Port
}

// Port is one input or output of the graph.
type Port struct {
	Name string
	// Type is the element type as ONNX numbers it (1 float, 6 int32, 7 int64).
	Type int64
	// Dims are the sizes of the dimensions, -1 where they vary.
	Dims []int64
}

// Element types of onnx.proto, TensorProto.DataType.
const (
	TypeFloat = 1
	TypeInt64 = 7
)

// Input returns the input of that name.
func (h *Header) Input(name string) (Port, bool) {
	for _, p := range h.Inputs {
		if p.Name == name {
			return p, true
		}
	}
	return Port{}, false
}

var errTruncated = errors.New("file ends inside the model: truncated or not an ONNX file")

// ReadHeader reads a ModelProto of size bytes (onnx.proto), stepping over the
// weights. It fails on files that are cut short: every length is checked
// against what is left.
func ReadHeader(r io.ReaderAt, size int64) (Header, error) {
	h := Header{Domains: map[string]int64{}}
	graph := false
	var initializers map[string]bool
	err := fields(newWire(r, 0, size), func(w *wire, number, kind int) error {
		switch {
		case number == 1 && kind == wireVarint:
			v, err := w.varint()
			h.IRVersion = int64(v)
			return err
		case number == 2 && kind == wireBytes:
			s, err := w.text()
			h.Producer = s
			return err
		case number == 7 && kind == wireBytes:
			graph = true
			sub, err := w.message()
			if err != nil {
				return err
			}
			initializers, err = h.readGraph(sub)
			return err
		case number == 8 && kind == wireBytes:
			sub, err := w.message()
			if err != nil {
				return err
			}
			return h.readOpset(sub)
		}
		return w.skip(kind)
	})
	if err != nil {
		return Header{}, err
	}
	if !graph {
		return Header{}, errors.New("no graph: not an ONNX file")
	}
	// Old exporters list weights as inputs, too.
	inputs := h.Inputs[:0]
	for _, p := range h.Inputs {
		if !initializers[p.Name] {
			inputs = append(inputs, p)
		}
	}
	h.Inputs = inputs
	return h, nil
}

func (h *Header) readOpset(w *wire) error {
	domain, version := "", int64(0)
	err := fields(w, func(w *wire, number, kind int) error {
		switch {
		case number == 1 && kind == wireBytes:
			s, err := w.text()
			domain = s
			return err
		case number == 2 && kind == wireVarint:
			v, err := w.varint()
			version = int64(v)
			return err
		}
		return w.skip(kind)
	})
	if domain == "" || domain == "ai.onnx" {
		h.Opset = version
	} else {
		h.Domains[domain] = version
	}
	return err
}

func (h *Header) readGraph(w *wire) (map[string]bool, error) {
	initializers := map[string]bool{}
	err := fields(w, func(w *wire, number, kind int) error {
		if kind != wireBytes || number != 5 && number != 11 && number != 12 {
			return w.skip(kind)
		}
		sub, err := w.message()
		if err != nil {
			return err
		}
		if number == 5 {
			return fields(sub, func(w *wire, number, kind int) error {
				if number != 8 || kind != wireBytes {
					return w.skip(kind)
				}
				name, err := w.text()
				initializers[name] = true
				return err
			})
		}
		port, err := readPort(sub)
		if number == 11 {
			h.Inputs = append(h.Inputs, port)
		} else {
			h.Outputs = append(h.Outputs, port)
		}
		return err
	})
	return initializers, err
}

// readPort reads a ValueInfoProto: name = 1, type = 2.
func readPort(w *wire) (Port, error) {
	var p Port
	err := fields(w, func(w *wire, number, kind int) error {
		switch {
		case number == 1 && kind == wireBytes:
			s, err := w.text()
			p.Name = s
			return err
		case number == 2 && kind == wireBytes:
			return nested(w, p.readType)
		}
		return w.skip(kind)
	})
	return p, err
}

// readType reads a TypeProto: tensor_type = 1.
func (p *Port) readType(w *wire, number, kind int) error {
	if number == 1 && kind == wireBytes {
		return nested(w, p.readTensor)
	}
	return w.skip(kind)
}

// readTensor reads a TypeProto.Tensor: elem_type = 1, shape = 2.
func (p *Port) readTensor(w *wire, number, kind int) error {
	switch {
	case number == 1 && kind == wireVarint:
		v, err := w.varint()
		p.Type = int64(v)
		return err
	case number == 2 && kind == wireBytes:
		return nested(w, p.readShape)
	}
	return w.skip(kind)
}

// readShape reads a TensorShapeProto: dim = 1, repeated.
func (p *Port) readShape(w *wire, number, kind int) error {
	if number != 1 || kind != wireBytes {
		return w.skip(kind)
	}
	p.Dims = append(p.Dims, -1)
	return nested(w, p.readDim)
}

// readDim reads a Dimension: dim_value = 1, absent where the size varies.
func (p *Port) readDim(w *wire, number, kind int) error {
	if number != 1 || kind != wireVarint {
		return w.skip(kind)
	}
	v, err := w.varint()
	if v > 0 {
		p.Dims[len(p.Dims)-1] = int64(v)
	}
	return err
}

// nested calls each for every field of the message that w is at.
func nested(w *wire, each func(w *wire, number, kind int) error) error {
	sub, err := w.message()
	if err != nil {
		return err
	}
	return fields(sub, each)
}

const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// wire reads protobuf's encoding from a stretch of a file.
type wire struct {
	file io.ReaderAt
	r    *bufio.Reader
	// at and end are offsets in the file.
	at, end int64
}

func newWire(file io.ReaderAt, at, end int64) *wire {
	return &wire{file, bufio.NewReaderSize(io.NewSectionReader(file, at, end-at), 256), at, end}
}

// fields calls each for every field of the message; each must read or skip it.
func fields(w *wire, each func(w *wire, number, kind int) error) error {
	for w.at < w.end {
		key, err := w.varint()
		if err != nil {
			return err
		}
		if err := each(w, int(key>>3), int(key&7)); err != nil {
			return err
		}
	}
	return nil
}

func (w *wire) varint() (uint64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		b, err := w.r.ReadByte()
		if err != nil {
			return 0, errTruncated
		}
		w.at++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, errors.New("a number is too long: not an ONNX file")
}

func (w *wire) length() (int64, error) {
	n, err := w.varint()
	if err != nil {
		return 0, err
	}
	if n > uint64(w.end-w.at) {
		return 0, errTruncated
	}
	return int64(n), nil
}

// longestText bounds names; a longer one is not a name.
const longestText = 1 << 16

func (w *wire) text() (string, error) {
	n, err := w.length()
	if err != nil {
		return "", err
	}
	if n > longestText {
		return "", errors.New("a name is too long: not an ONNX file")
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(w.r, b); err != nil {
		return "", errTruncated
	}
	w.at += n
	return string(b), nil
}

// message returns a reader of the embedded message and steps over it.
func (w *wire) message() (*wire, error) {
	n, err := w.length()
	if err != nil {
		return nil, err
	}
	sub := newWire(w.file, w.at, w.at+n)
	return sub, w.advance(n)
}

func (w *wire) advance(n int64) error {
	if n > w.end-w.at {
		return errTruncated
	}
	w.at += n
	if n <= int64(w.r.Buffered()) {
		_, err := w.r.Discard(int(n))
		return err
	}
	w.r.Reset(io.NewSectionReader(w.file, w.at, w.end-w.at))
	return nil
}

func (w *wire) skip(kind int) error {
	switch kind {
	case wireVarint:
		_, err := w.varint()
		return err
	case wire64:
		return w.advance(8)
	case wireBytes:
		n, err := w.length()
		if err != nil {
			return err
		}
		return w.advance(n)
	case wire32:
		return w.advance(4)
	}
	return fmt.Errorf("wire type %d: not an ONNX file", kind)
}

package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// maxLine is the longest line that a reader takes, in bytes; the writer's own bounds stay far below.
const maxLine = 1 << 20

// Source is one piece of an audit stream.
type Source struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Reader is a source that can be read once, such as standard input.
func Reader(name string, r io.Reader) Source {
	return Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// Files returns the files in the order of their chain, whatever the order of paths. A name that ends in ".gz" is
// decompressed. A file without any readable line goes last. What can be read once, such as a pipe, has no second
// reading to find its place by and stands alone.
func Files(paths ...string) ([]Source, error) {
	type ordered struct {
		Source
		first uint64
	}
	var list []ordered
	for _, p := range paths {
		s := Source{Name: p, Open: func() (io.ReadCloser, error) { return openFile(p) }}
		switch info, err := os.Stat(p); {
		case err != nil:
			return nil, err
		case info.Mode().IsRegular():
		case len(paths) > 1:
			return nil, fmt.Errorf("%q is no regular file: it cannot be put in order with others", p)
		default:
			return []Source{s}, nil
		}
		first, err := firstSeq(s)
		if err != nil {
			return nil, err
		}
		list = append(list, ordered{s, first})
	}
	slices.SortStableFunc(list, func(a, b ordered) int {
		switch {
		case a.first == b.first:
			return 0
		case b.first == 0 || a.first != 0 && a.first < b.first:
			return -1
		}
		return 1
	})
	out := make([]Source, 0, len(list))
	for _, o := range list {
		out = append(out, o.Source)
	}
	return out, nil
}

func openFile(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return f, err
	}
	zr, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %q: %w", path, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{zr, f}, nil
}

// firstSeq returns the number of the first readable line, 0 when there is none.
func firstSeq(s Source) (uint64, error) {
	var seq uint64
	err := eachLine(context.Background(), []Source{s}, func(l rawLine) (more bool) {
		p, err := ParseLine(l.text)
		if err == nil {
			seq = p.Seq
		}
		return err != nil
	})
	return seq, err
}

// rawLine is one line as it stands in a source. Its text is valid until the next line is read.
type rawLine struct {
	file    string
	number  int64
	text    []byte // without the newline
	ended   bool   // a newline followed
	tooLong bool   // text is only the beginning
}

// eachLine calls f for every line of the sources that is not empty, in each of them until f wants no more.
func eachLine(ctx context.Context, sources []Source, f func(rawLine) (more bool)) error {
	var total int64
	for _, s := range sources {
		r, err := s.Open()
		if err != nil {
			return err
		}
		lr := lineReader{r: bufio.NewReaderSize(r, 256<<10)}
		for n := int64(1); ; n++ {
			line, err := lr.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return errors.Join(fmt.Errorf("read %q line %d: %w", s.Name, n, err), r.Close())
			}
			line.file, line.number = s.Name, n
			if len(line.text) > 0 && !f(line) {
				break
			}
			if total++; total%4096 == 0 && ctx.Err() != nil {
				return errors.Join(ctx.Err(), r.Close())
			}
		}
		if err := r.Close(); err != nil {
			return fmt.Errorf("close %q: %w", s.Name, err)
		}
	}
	return ctx.Err()
}

// lineReader splits at newlines and bounds what a line may hold in memory.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
}

// next returns the next line; io.EOF after the last one.
func (l *lineReader) next() (rawLine, error) {
	l.buf = l.buf[:0]
	var out rawLine
	read := false
	for {
		part, err := l.r.ReadSlice('\n')
		read = read || len(part) > 0
		if room := maxLine - len(l.buf); len(part) > room+1 {
			part, out.tooLong = part[:room], true
		}
		l.buf = append(l.buf, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && !read:
			return rawLine{}, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return rawLine{}, err
		}
		out.text = bytes.TrimSuffix(l.buf, []byte{'\n'})
		out.ended = err == nil
		return out, nil
	}
}

package modtree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
)

// MarkerError says that a file carries a marker that cannot be believed.
type MarkerError struct {
	Path   string
	Offset int64 // of the marker in the file, in bytes
	Reason error
}

func (e *MarkerError) Error() string {
	return fmt.Sprintf("%s: the marker of the fork at byte %d cannot be believed: %v; build the program again from "+
		"a fork that `offlock check` finds unedited", e.Path, e.Offset, e.Reason)
}

func (e *MarkerError) Unwrap() error { return e.Reason }

// ReadMarker finds the marker in a built binary, stripped or not, of any system. A marker that occurs several times
// counts once. Errors: [ErrNoMarker], [*MarkerError] for one that is damaged or contradicts another, or those of
// reading the file.
func ReadMarker(path string) (Marker, error) {
	f, err := os.Open(path)
	if err != nil {
		return Marker{}, err
	}
	defer f.Close()
	var found *Marker
	err = scanMarkers(f, func(offset int64, data []byte) error {
		m, err := parseMarker(data)
		if err == nil && found != nil && !reflect.DeepEqual(m, *found) {
			err = fmt.Errorf("it names %s %s, an earlier one %s %s", m.Base, m.Hash, found.Base, found.Hash)
		}
		if err != nil {
			return &MarkerError{path, offset, err}
		}
		found = &m
		return nil
	})
	if err != nil {
		return Marker{}, err
	}
	if found == nil {
		return Marker{}, fmt.Errorf("%s: %w", path, ErrNoMarker)
	}
	return *found, nil
}

// scanMarkers calls visit for each mark in r, with at least maxMarker bytes from there on, or all up to the end. It
// holds one window of the file, so that binaries of any size can be read.
func scanMarkers(r io.Reader, visit func(offset int64, data []byte) error) error {
	const window = 1 << 20
	var (
		mark  = []byte(markerMark)
		buf   = make([]byte, 0, window)
		start int64 // offset of buf[0] in r
	)
	for last := false; !last; {
		n, err := io.ReadFull(r, buf[len(buf):window])
		buf = buf[:len(buf)+n]
		last = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		pos := 0
		for {
			i := bytes.Index(buf[pos:], mark)
			if i < 0 { // what is left may end in the beginning of a mark
				pos = max(pos, len(buf)-len(mark)+1)
				break
			}
			pos += i
			if !last && len(buf)-pos < maxMarker {
				break
			}
			if err := visit(start+int64(pos), buf[pos:]); err != nil {
				return err
			}
			pos += len(mark)
		}
		start += int64(pos)
		buf = buf[:copy(buf, buf[pos:])]
	}
	return nil
}

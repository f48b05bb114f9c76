package patches

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// splice replaces text[start:end] by its text. Several may insert at one offset; they keep the order in which they were added.
type splice struct {
	start, end int
	text       []byte
	edit       *edit // for messages
}

// splices applies all of them to text. Bytes outside of them are not touched.
func splices(text []byte, list []splice) ([]byte, []region, error) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b splice) int {
		return cmp.Or(a.start-b.start, a.end-b.end)
	})
	var out bytes.Buffer
	var regions []region
	last := 0
	for i, s := range list {
		if s.start < last {
			return nil, nil, fmt.Errorf("it overlaps the edit of %s", list[i-1].edit.name)
		}
		out.Write(text[last:s.start])
		start := out.Len()
		out.Write(s.text)
		regions = append(regions, region{start, out.Len()})
		last = s.end
	}
	out.Write(text[last:])
	return out.Bytes(), regions, nil
}

// region is a range of a file that is ours.
type region struct{ start, end int }

// lead returns the offset where the white space before offset begins.
func lead(text []byte, offset int) int {
	return len(bytes.TrimRight(text[:offset], " \t\r\n"))
}

// lineStart returns the offset where the line of offset begins.
func lineStart(text []byte, offset int) int {
	return bytes.LastIndexByte(text[:offset], '\n') + 1
}

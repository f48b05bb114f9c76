package jsonline

import (
	"slices"
	"strings"
	"sync"
)

type entry struct {
	key   string
	value any
}

// few is how many entries are sorted on the stack. Evaluation contexts and
// metadata seldom have more.
const few = 8

// maxKept is the largest array that goes back into the pool.
const maxKept = 1024

var entryPool = sync.Pool{New: func() any { return new([]entry) }}

func appendMap(dst []byte, m map[string]any, depth int) ([]byte, error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	if depth == 0 {
		return marshal(dst, m)
	}
	if len(m) > few {
		return appendLargeMap(dst, m, depth)
	}
	var array [few]entry
	entries := array[:0]
	for k, v := range m {
		entries = append(entries, entry{k, v})
	}
	for i := 1; i < len(entries); i++ {
		for j := i; j > 0 && entries[j].key < entries[j-1].key; j-- {
			entries[j], entries[j-1] = entries[j-1], entries[j]
		}
	}
	return appendEntries(dst, entries, depth)
}

// appendLargeMap takes an array of its own for each level of nesting.
func appendLargeMap(dst []byte, m map[string]any, depth int) ([]byte, error) {
	pooled := entryPool.Get().(*[]entry)
	entries := (*pooled)[:0]
	for k, v := range m {
		entries = append(entries, entry{k, v})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	dst, err := appendEntries(dst, entries, depth)
	if cap(entries) <= maxKept {
		clear(entries)
		*pooled = entries
		entryPool.Put(pooled)
	}
	return dst, err
}

func appendEntries(dst []byte, entries []entry, depth int) (_ []byte, err error) {
	start := len(dst)
	separator := byte('{')
	for i := range entries {
		dst = append(dst, separator)
		separator = ','
		dst = AppendString(dst, entries[i].key)
		dst = append(dst, ':')
		if dst, err = appendValue(dst, entries[i].value, depth-1); err != nil {
			return dst[:start], err
		}
	}
	if len(entries) == 0 {
		dst = append(dst, '{')
	}
	return append(dst, '}'), nil
}

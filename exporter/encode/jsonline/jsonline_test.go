package jsonline

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// same fails the test unless v is written as json.Marshal writes it, and refused
// with its error, after whatever stood before.
func same(t interface {
	Helper()
	Errorf(string, ...any)
}, v any) {
	t.Helper()
	const before = "before"
	want, wantErr := json.Marshal(v)
	got, err := AppendValue([]byte(before), v)
	if wantErr != nil {
		if err == nil || err.Error() != wantErr.Error() || string(got) != before {
			t.Errorf("AppendValue(%#.200v) = %.200q, %v; json.Marshal: %v", v, got, err, wantErr)
		}
		return
	}
	if err != nil || !bytes.Equal(got, append([]byte(before), want...)) {
		t.Errorf("AppendValue(%#.200v):\n got %.300q, %v\nwant %.300q after %q", v, got, err, want, before)
	}
	if s, ok := v.(string); ok {
		if got := AppendString(nil, s); !bytes.Equal(got, want) {
			t.Errorf("AppendString(%q) = %q; json.Marshal: %q", s, got, want)
		}
	}
	if m, ok := v.(map[string]any); ok {
		if got, err := AppendMap(nil, m); err != nil || !bytes.Equal(got, want) {
			t.Errorf("AppendMap(%v) = %q, %v; json.Marshal: %q", m, got, err, want)
		}
	}
}

func TestEveryByteAtEveryPlace(t *testing.T) {
	for c := range 256 {
		for length := range 18 {
			for at := range length {
				s := []byte(strings.Repeat("x", length))
				s[at] = byte(c)
				same(t, string(s))
			}
		}
	}
}

func TestEveryRune(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		s := string(r)
		want, err := json.Marshal(s)
		if got := AppendString(nil, s); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("AppendString(%q) = %q; json.Marshal: %q, %v", s, got, want, err)
		}
	}
}

type (
	word      string
	onValue   struct{ N int }
	onPointer struct{ N int }
	asText    struct{ s string }
	broken    struct{}
	tagged    struct {
		A string         `json:"a,omitempty"`
		B any            `json:"b"`
		C *int           `json:"c,omitempty"`
		M map[int]string `json:"m"`
	}
)

func (v onValue) MarshalJSON() ([]byte, error) { return []byte(`{ "n" : "<&>" }`), nil }

func (v *onPointer) MarshalJSON() ([]byte, error) { return []byte(`"pointer"`), nil }

func (v asText) MarshalText() ([]byte, error) { return []byte(v.s), nil }

func (broken) MarshalJSON() ([]byte, error) { return []byte(`{"a":`), nil }

func TestValuesAreWrittenAsByEncodingJSON(t *testing.T) {
	n := 7
	cyclicMap := map[string]any{}
	cyclicMap["a"] = map[string]any{"b": cyclicMap}
	cyclicSlice := make([]any, 1)
	cyclicSlice[0] = cyclicSlice
	type node struct{ Next any }
	cyclicPointer := &node{}
	cyclicPointer.Next = map[string]any{"n": cyclicPointer}

	for _, v := range []any{
		nil, true, false, "", "plain", "<a href=\"x\">&amp;</a>", "\u2028 and \u2029", "\x00\x1f\x7f", "a\xffb\xc3", "\xed\xa0\x80",
		"é", "日本語", "😀", "\b\f\n\r\t\\\"/", "|~^", strings.Repeat("long ", 100) + "\n",

		0, -1, int64(math.MaxInt64), int64(math.MinInt64), uint64(math.MaxUint64), uint(3), uintptr(4), int8(-128), int16(1), int32(-2), int64(3),
		uint8(255), uint16(1), uint32(2),

		0.0, math.Copysign(0, -1), 1.5, -2.25, 1e6, 1e20, 1e21, 1e22, 1e-6, 9.999e-7, 1e-7, 1e-10, 1e100, 1e-100, 1<<53 - 1.0, float64(1 << 53), 1<<53 + 2.0,
		math.MaxFloat64, math.SmallestNonzeroFloat64, 123456789.0, float32(0.1), float32(123456792), float32(1 << 24), float32(1e21),
		float32(1e-7), float32(math.MaxFloat32), float32(math.SmallestNonzeroFloat32), 0.1, 100.0, 33.333333333333336,
		math.Inf(1), math.Inf(-1), math.NaN(), float32(math.Inf(1)),

		json.Number("12.50"), json.Number(""), json.Number("x"), json.RawMessage(` [1, 2] `), json.RawMessage(nil),
		[]byte("bytes"), []byte(nil), []byte{}, [3]byte{1, 2, 3}, time.Unix(1, 5).UTC(), time.Minute,
		word("<word>"), onValue{}, &onValue{}, onPointer{}, &onPointer{}, asText{"<text>\xff"}, broken{}, (*onPointer)(nil),
		tagged{}, &tagged{A: "a", B: []any{1, "2"}, C: &n, M: map[int]string{10: "x", 9: "y"}}, &n, (*int)(nil), error(nil),
		func() {}, make(chan int), complex(1, 2), struct{ F func() }{},

		map[string]any(nil), map[string]any{}, map[string]any{"a": nil}, map[string]any{"": ""}, map[string]any{"b": 1, "a": 2, "<": 3, "é": 4, "\xff": 5, "\xfe": 6},
		map[string]any{"nested": map[string]any{"x": []any{1, map[string]any{"y": nil}}}, "f": 1e21},
		numbered(few), numbered(few + 1), numbered(3000), map[string]any{"m": numbered(20), "n": numbered(20)},
		map[string]string{"b": "<", "a": ">"}, map[string]int{"a": 1}, map[int]any{2: "b", 10: "a"}, map[asText]int{{"k"}: 1}, map[bool]int{true: 1},
		[]any(nil), []any{}, []any{nil, 1, "x", []any{}}, []string(nil), []string{}, []string{"<", "a"}, []int{1, 2}, []map[string]any{{"a": 1}},
		nested(maxDepth - 1), nested(maxDepth), nested(maxDepth + 1), nested(2000),

		map[string]any{"a": 1, "b": math.NaN()}, []any{1, func() {}}, map[string]any{"deep": []any{map[string]any{"c": make(chan int)}}},
		cyclicMap, cyclicSlice, cyclicPointer, []any{cyclicMap},
	} {
		same(t, v)
	}
}

// FuzzAppendValue compares whatever can come as JSON with encoding/json.
func FuzzAppendValue(f *testing.F) {
	f.Add(`{"b":[1,2.5,-0,1e21,1e-7],"a":{"nested":"<\u2028\ufffd>"},"":null}`, "\xff<", 1e-7, int64(1<<53))
	f.Add(`[true,false,"aaaaaaaaaaaa\"",123456789012345678901234567890]`, "aaaa\x00aaaa", math.MaxFloat32, int64(-1))
	f.Add(`"|~^"`, "12345678|", 16777217.0, int64(0))
	f.Fuzz(func(t *testing.T, document, s string, number float64, n int64) {
		var v any
		if err := json.Unmarshal([]byte(document), &v); err == nil {
			same(t, v)
		}
		for _, v := range []any{s, number, float32(number), n, uint64(n), []string{s, s}, map[string]any{s: v, s + s: number}, map[string]string{s: s}} {
			same(t, v)
		}
	})
}

func numbered(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[strings.Repeat("k", i%5)+string(rune('a'+i%26))+string(rune(0x100+i))] = i
	}
	return m
}

// nested alternates maps and slices.
func nested(depth int) any {
	var v any = "bottom"
	for i := range depth {
		if i%2 == 0 {
			v = []any{v}
		} else {
			v = map[string]any{"k": v}
		}
	}
	return v
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("no form today") }

func TestAPanicGoesToTheCallerAndHarmsNoLaterCall(t *testing.T) {
	m := numbered(20)
	m["z"] = panics{}
	for range 10 {
		func() {
			defer func() {
				if v := recover(); v != "no form today" {
					t.Errorf("recovered %v", v)
				}
			}()
			_, _ = AppendMap(nil, m)
		}()
		same(t, numbered(20))
	}
}

func TestPooledArraysKeepNoValues(t *testing.T) {
	// A pool may forget what it was given, so it is asked until it has not.
	for range 1000 {
		if _, err := AppendMap(nil, numbered(100)); err != nil {
			t.Fatal(err)
		}
		entries := *entryPool.Get().(*[]entry)
		for i, e := range entries[:cap(entries)] {
			if e.key != "" || e.value != nil {
				t.Fatalf("entry %d still holds %v", i, e)
			}
		}
		if cap(entries) >= 100 {
			return
		}
	}
	t.Error("no array ever came back")
}

func TestNothingIsAllocated(t *testing.T) {
	buf := make([]byte, 0, 1<<16)
	for name, v := range map[string]any{
		"nil": nil, "bool": true, "string": "a <string>", "int": 123456, "float": 1.25, "exponent": 1e-9, "large": uint64(math.MaxUint64),
		"small map": numbered(few), "large map": numbered(100),
		"nested": map[string]any{"a": numbered(3), "b": []any{"x", 1.5, numbered(2)}, "c": []string{"x", "y"}},
	} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := AppendValue(buf, v); err != nil {
				t.Error(err)
			}
		}); n != 0 && !raceEnabled {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

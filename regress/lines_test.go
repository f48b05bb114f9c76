package regress

import (
	"os"
	"strings"
	"testing"
)

func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLines(t *testing.T) {
	l := &lines{first: make(chan []byte, 1)}
	for _, part := range []string{"fir", "st\nsec", "ond\n", "third\nunfinished"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", part, n, err)
		}
	}
	if got := string(<-l.first); got != "first" {
		t.Errorf("first line %q", got)
	}
	if got := string(l.last()); got != "third" {
		t.Errorf("last line %q", got)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	tail := &tail{}
	for range 3 {
		if _, err := tail.Write([]byte(strings.Repeat("x", tailSize-1) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tail.Write([]byte("panic: the end\n")); err != nil {
		t.Fatal(err)
	}
	got := tail.String()
	if len(got) > tailSize || !strings.HasSuffix(got, "\npanic: the end") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-20:])
	}
}

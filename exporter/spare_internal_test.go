package exporter

import (
	"context"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// A batch that is larger than all that may wait leaves no memory behind.
func TestAsyncKeepsNoOversizedMemory(t *testing.T) {
	inner := &stuck{false, make(chan struct{}, 2), make(chan struct{})}
	close(inner.release)
	a, err := NewAsync(inner, AsyncOptions{MaxEvents: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{100_000, 1} {
		if err := a.Export(context.Background(), nil, make([]ffexporter.ExportableEvent, n)); err != nil {
			t.Fatal(err)
		}
		<-inner.entered
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := cap(a.spare); n > 10 {
		t.Errorf("the memory of %d events is kept, 10 may wait", n)
	}
}

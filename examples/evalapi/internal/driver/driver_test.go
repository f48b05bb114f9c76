package driver_test

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/offlock/offlock/examples/evalapi/internal/driver"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOnlyAPipeIsADriver(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	if driver.Of(r) == nil {
		t.Error("a pipe is no driver")
	}
	if driver.Of(null) != nil {
		t.Errorf("%s is a driver", os.DevNull)
	}
}

func TestContextEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(cancel context.CancelFunc, driverEnd *io.PipeWriter)
	}{
		{"with its driver", func(_ context.CancelFunc, driverEnd *io.PipeWriter) { _ = driverEnd.Close() }},
		{"with its parent", func(cancel context.CancelFunc, _ *io.PipeWriter) { cancel() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			parent, cancel := context.WithCancel(t.Context())
			defer cancel()
			stdin, driverEnd := io.Pipe()
			defer func() { _ = driverEnd.Close() }()
			ctx := driver.Context(parent, stdin)
			if _, err := driverEnd.Write([]byte("to throw away\n")); err != nil {
				t.Fatal(err)
			}
			if ctx.Err() != nil {
				t.Fatal("it ended with a write")
			}
			tc.end(cancel, driverEnd)
			<-ctx.Done()
		})
	}
	if parent := t.Context(); driver.Context(parent, nil) != parent {
		t.Error("without a driver the context is another one")
	}
}

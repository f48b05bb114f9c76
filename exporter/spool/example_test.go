package spool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter/spool"
)

// sink is an exporter that is down, or prints.
type sink struct{ down bool }

func (*sink) IsBulk() bool { return true }

func (k *sink) Export(_ context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	if k.down {
		return errors.New("connection refused")
	}
	fmt.Println("sent", len(events), "event, flag", events[0].GetKey())
	return nil
}

// A process exports while its sink is down, and ends. The next one sends what it left.
func Example() {
	dir, _ := os.MkdirTemp("", "spool")
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()

	disk, _ := spool.New(&sink{down: true}, spool.Options{Dir: dir, After: -1}) // to disk at the first failure
	for _, flag := range []string{"new-checkout", "dark-mode"} {
		err := disk.Export(ctx, nil, []ffexporter.ExportableEvent{ffexporter.FeatureEvent{Kind: "feature", Key: flag}})
		fmt.Println("exported:", err)
	}
	_ = disk.Stop(ctx)
	fmt.Println("left on disk:", disk.Stats().Left)

	next, _ := spool.New(&sink{}, spool.Options{Dir: dir})
	next.Start()
	for next.Stats().Files > 0 {
		time.Sleep(time.Millisecond)
	}
	_ = next.Stop(ctx)
	// Output:
	// exported: <nil>
	// exported: <nil>
	// left on disk: 2
	// sent 1 event, flag new-checkout
	// sent 1 event, flag dark-mode
}

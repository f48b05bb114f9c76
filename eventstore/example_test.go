package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/offlock/offlock/eventstore"
)

func Example() {
	store, err := eventstore.New[string](eventstore.Options{})
	if err != nil {
		panic(err)
	}
	consumer, err := store.Consumer("bucket", eventstore.ConsumerOptions{Threshold: 1000})
	if err != nil {
		panic(err)
	}
	upload := func(ctx context.Context, batch eventstore.Batch[string]) error {
		attempt, _ := eventstore.AttemptFrom(ctx)
		fmt.Printf("events %d to %d, attempt %d\n", batch.First(), batch.Last(), attempt.Number)
		if attempt.Number == 1 {
			return errors.New("503")
		}
		for event := range batch.All() {
			fmt.Println(" ", event)
		}
		return nil
	}
	pump, err := eventstore.NewPump(consumer, upload, eventstore.PumpOptions{Interval: time.Minute, BackoffBase: time.Millisecond})
	if err != nil {
		panic(err)
	}
	pump.Start()

	store.Append("flag evaluated") // returns at once, whatever upload does
	store.Append("flag evaluated again")

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := pump.Stop(ctx); err != nil {
		panic(err)
	}
	stats := pump.Stats()
	fmt.Printf("%d added, %d handled, %d dropped\n", stats.Added, stats.Handled, stats.Dropped)
	// Output:
	// events 0 to 1, attempt 1
	// events 0 to 1, attempt 2
	//   flag evaluated
	//   flag evaluated again
	// 2 added, 2 handled, 0 dropped
}

package eventstore

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// grown is a store with a log of so many arrays, which one consumer needs, and none that is free.
func grown(t *testing.T, arrays int) (*Store[int], *Consumer[int]) {
	t.Helper()
	const size = 4
	s, err := New[int](Options{SegmentSize: size})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Consumer("c", ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range arrays * size {
		s.Append(i)
	}
	if got := s.Stats(); got.Segments != arrays || got.FreeSegments != 0 {
		t.Fatalf("%d arrays and %d free ones, want %d and none: without a pump nobody makes any", got.Segments, got.FreeSegments, arrays)
	}
	return s, c
}

func TestRestock(t *testing.T) {
	for _, test := range []struct{ arrays, stock int }{
		{0, 0}, {3, 0}, {4, 1}, {100, 25}, {256, 64}, {1000, 64},
	} {
		t.Run(fmt.Sprint(test.arrays), func(t *testing.T) {
			s, _ := grown(t, test.arrays)
			signalled := len(s.low) > 0
			if signalled != (test.stock > 0) {
				t.Errorf("a stock of %d is wanted, and a pump was signalled: %t", test.stock, signalled)
			}
			for range 2 { // the second time there is nothing to do
				s.restock()
				if got := s.Stats().FreeSegments; got != test.stock {
					t.Errorf("%d arrays are free, want %d", got, test.stock)
				}
			}
			newAudit(t, s).check()
		})
	}
}

// The arrays of a stock are taken before others are made, and a pump is asked for more once half of them are gone.
func TestStockIsUsed(t *testing.T) {
	s, _ := grown(t, 100)
	<-s.low
	s.restock()
	fill := func(arrays int) {
		for i := range arrays * s.segmentSize {
			s.Append(i)
		}
	}
	fill(12)
	if got := s.Stats(); got.FreeSegments != 13 || got.Segments+got.FreeSegments != 125 || len(s.low) != 1 {
		// 13 are less than half of the 28 that a log of 112 is to have.
		t.Errorf("%d arrays and %d free ones, signals: %d", got.Segments, got.FreeSegments, len(s.low))
	}
}

func TestClosedStoreIsNotStocked(t *testing.T) {
	s, _ := grown(t, 100)
	s.Close()
	if s.restock(); s.Stats().FreeSegments != 0 {
		t.Errorf("%d arrays were made for a store that takes no more events", s.Stats().FreeSegments)
	}
}

// A running pump fills the stock, while its handler does not return, too.
func TestPumpRestocks(t *testing.T) {
	s, c := grown(t, 100)
	entered, release := make(chan struct{}), make(chan struct{})
	p, err := NewPump(c, func(context.Context, Batch[int]) error {
		select {
		case entered <- struct{}{}:
			<-release
		case <-release:
		}
		return nil
	}, PumpOptions{Interval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	flushed := make(chan error, 1)
	go func() { flushed <- p.Flush(t.Context()) }()
	<-entered
	for i := range 200 * s.segmentSize { // until well after the handler was called
		s.Append(i)
	}
	for deadline := time.Now().Add(time.Minute); s.Stats().FreeSegments < s.wantedStock(); {
		if time.Now().After(deadline) {
			t.Fatalf("the stock has %d arrays, want %d", s.Stats().FreeSegments, s.wantedStock())
		}
		runtime.Gosched()
	}
	close(release)
	if err := <-flushed; err != nil {
		t.Error(err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func (s *Store[T]) wantedStock() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stockLocked() / 2 // a signal comes only below that
}

package store

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// sharded is the candidate with a log for each processor, and a global sequence that the consumer merges by. A pool hands
// out the shards, because that keeps one close to the processor that used it last.
type sharded struct {
	sequence atomic.Int64
	_        [56]byte
	tokens   sync.Pool
	shards   []*shard
	nextID   atomic.Int64
	heads    []int
}

type shard struct {
	mu     sync.Mutex
	events []sequenced
	spare  []sequenced
	_      [64]byte
}

type sequenced struct {
	at    int64
	event Event
}

func newSharded() *sharded {
	s := &sharded{}
	for range runtime.GOMAXPROCS(0) {
		s.shards = append(s.shards, &shard{events: make([]sequenced, 0, bound), spare: make([]sequenced, 0, bound)})
	}
	s.heads = make([]int, len(s.shards))
	s.tokens.New = func() any { return s.shards[int(s.nextID.Add(1))%len(s.shards)] }
	return s
}

func (s *sharded) append(e Event) {
	token := s.tokens.Get()
	own := token.(*shard)
	own.mu.Lock()
	own.events = append(own.events, sequenced{s.sequence.Add(1), e})
	own.mu.Unlock()
	s.tokens.Put(token)
}

// drain takes what all shards hold and walks it in the order of the sequence.
func (s *sharded) drain() int {
	for _, one := range s.shards {
		one.mu.Lock()
		one.events, one.spare = one.spare[:0], one.events
		one.mu.Unlock()
	}
	count := 0
	clear(s.heads)
	for {
		best := -1
		for i, one := range s.shards {
			if s.heads[i] < len(one.spare) && (best < 0 || one.spare[s.heads[i]].at < s.shards[best].spare[s.heads[best]].at) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		s.heads[best]++
		count++
	}
	for _, one := range s.shards {
		clear(one.spare)
	}
	return count
}

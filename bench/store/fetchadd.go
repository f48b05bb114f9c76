package store

import (
	"runtime"
	"sync/atomic"
)

const cellsPerChunk = 256

// fetchAdd is the lock-free candidate: a producer claims an offset with one atomic addition, writes its event into the cell
// and publishes the cell. One consumer reads the cells in order, up to the first that is claimed and not published.
type fetchAdd struct {
	tail atomic.Pointer[chunk]
	_    [56]byte
	head *chunk // the consumer's
	read int
	free atomic.Pointer[chunk] // one spare
}

type chunk struct {
	claimed atomic.Int64
	_       [56]byte
	next    atomic.Pointer[chunk]
	cells   *[cellsPerChunk]cell
}

type cell struct {
	event     Event
	published atomic.Bool
}

func newFetchAdd() *fetchAdd {
	q := &fetchAdd{head: &chunk{cells: new([cellsPerChunk]cell)}}
	q.tail.Store(q.head)
	return q
}

func (q *fetchAdd) append(e Event) {
	for {
		c := q.tail.Load()
		i := c.claimed.Add(1) - 1
		if i < cellsPerChunk {
			c.cells[i].event = e
			c.cells[i].published.Store(true)
			return
		}
		q.extend(c)
	}
}

// extend puts a chunk behind c, or finds that another producer did.
func (q *fetchAdd) extend(c *chunk) {
	next := c.next.Load()
	if next == nil {
		fresh := q.free.Swap(nil)
		if fresh == nil {
			fresh = &chunk{cells: new([cellsPerChunk]cell)}
		}
		if c.next.CompareAndSwap(nil, fresh) {
			next = fresh
		} else {
			q.free.Store(fresh)
			next = c.next.Load()
		}
	}
	q.tail.CompareAndSwap(c, next)
}

// drain reads what is published, and gives the arrays back in new headers.
func (q *fetchAdd) drain() int {
	count := 0
	for {
		if q.read == cellsPerChunk {
			next := q.head.next.Load()
			if next == nil {
				return count
			}
			cells := q.head.cells
			clear(cells[:])
			q.free.Store(&chunk{cells: cells})
			q.head, q.read = next, 0
		}
		if !q.head.cells[q.read].published.Load() {
			return count
		}
		q.read++
		count++
		if count%cellsPerChunk == 0 {
			runtime.Gosched()
		}
	}
}

//go:build eventstore_locktime

package eventstore

import (
	"sync"
	"time"
)

// mutex records the longest time for which it was held.
type mutex struct {
	sync.Mutex
	locked  time.Time
	longest time.Duration // since the last call of takeLongest; guarded by the mutex
}

func (m *mutex) Lock() {
	m.Mutex.Lock()
	m.locked = time.Now()
}

func (m *mutex) Unlock() {
	m.longest = max(m.longest, time.Since(m.locked))
	m.Mutex.Unlock()
}

func (m *mutex) takeLongest() time.Duration {
	m.Mutex.Lock()
	defer m.Mutex.Unlock()
	took := m.longest
	m.longest = 0
	return took
}

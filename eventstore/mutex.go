//go:build !eventstore_locktime

package eventstore

import "sync"

// mutex is a plain one. With the build tag eventstore_locktime it also records how long it was held, for the benchmark that
// shows that this does not depend on how much is stored.
type mutex = sync.Mutex

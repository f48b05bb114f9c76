//go:build ignore

package kinesisexporter

import "sync"

//offlock:fields after init
type Exporter struct {
	initMutex sync.Mutex // guards init, which begins anew after a failure
}

//offlock:before Exporter.initializeProducer ad366aad02ec
func _() {
	e.initMutex.Lock()
	defer e.initMutex.Unlock()
}

//offlock:before Exporter.initializeProducer b19943d5269f
func _() {
	if initErr != nil {
		e.init = sync.Once{} // the next Export tries again
	}
}

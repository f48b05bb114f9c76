//go:build ignore

package kafkaexporter

import (
	"fmt"
	"sync"
)

//offlock:fields after sender
type Exporter struct {
	// initMutex guards sender and what else is filled in to make it
	initMutex sync.Mutex
}

//offlock:replace Exporter.Export 67af70712bf8
func _() {
	if err := e.initializeProducer(); err != nil {
		return fmt.Errorf("writer: %w", err)
	}
}

//offlock:before Exporter.initializeProducer 3b1e9d613c9a
func _() {
	e.initMutex.Lock()
	defer e.initMutex.Unlock()
	if e.sender != nil {
		return nil
	}
}

//offlock:delete Exporter.initializeProducer 371c8ab38cb6

//offlock:replace Exporter.initializeProducer f19c6f3fce02
func _() {
	sender, err := e.dialer(e.Settings.Addresses, e.Settings.Config)
}

//offlock:before Exporter.initializeProducer fd52428e4558
func _() {
	e.sender = sender // not before it is known to work
}

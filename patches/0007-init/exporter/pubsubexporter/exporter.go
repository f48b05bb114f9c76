//go:build ignore

package pubsubexporter

import (
	"context"
	"sync"
)

//offlock:fields after publisher
type Exporter struct {
	// initMutex guards publisher and what else is filled in to make it.
	initMutex sync.Mutex
}

//offlock:replace Exporter.Export a0ace3821f7d
func _() {
	if err := e.initPublisher(ctx); err != nil {
		return err
	}
}

//offlock:before Exporter.initPublisher af6e7e8fa1c8
func _() {
	e.initMutex.Lock()
	defer e.initMutex.Unlock()
	if e.publisher != nil {
		return nil
	}
}

//offlock:before Exporter.initPublisher 26efdcfe39db
func _() {
	// A client keeps its context, for the tokens that it will ask for, and that of an Export ends with the Export.
	ctx = context.WithoutCancel(ctx)
}

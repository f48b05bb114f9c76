//go:build ignore

package bigqueryexporter

import (
	"context"
	"sync"
)

//offlock:fields after initOnce
type Exporter struct {
	initMutex sync.Mutex // guards initErr and initOnce, which begins anew after a failure
}

//offlock:before Exporter.initClient c8a1def04d84
func _() {
	e.initMutex.Lock()
	defer e.initMutex.Unlock()
}

//offlock:before Exporter.initClient 1de75af36198
func _() {
	// A client keeps its context, for the tokens that it will ask for, and that of an Export ends with the Export.
	ctx = context.WithoutCancel(ctx)
}

//offlock:before Exporter.initClient 4b0995468852
func _() {
	if e.initErr != nil {
		e.initOnce = sync.Once{} // the next Export tries again
	}
}

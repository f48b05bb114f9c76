//go:build ignore

package exporter

//offlock:fields after Exported
type ConsumerStats struct {
	SetAside int64 // of which the exporter could never deliver, and which it left out of their batch: see SetAside
}

//go:build ignore

package exporter

//offlock:fields after Exported
type ConsumerStats struct {
	SetAside int64 // which the exporter left out of their batch: Exported with it, or Dropped if it was given up
}

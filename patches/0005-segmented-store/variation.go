//go:build ignore

package ffclient

//offlock:before notifyVariation 7c759d8460db
func _() {
	if g == nil || g.featureEventDataExporter == nil {
		return // nobody wants to know
	}
}

//offlock:replace notifyVariation 2fd8381c794e
func _() {
	// In this goroutine, so that the events of one caller are exported in the order of its evaluations: AddEvent does
	// not wait.
	g.CollectEventData(event)
}

//offlock:delete notifyVariation 3254b7a524ee

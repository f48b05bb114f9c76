//go:build ignore

package exporter

//offlock:before NewDataExporter 27ffe5938e47
func _() {
	if own, ok := (*eventStore).(*eventStoreImpl[T]); ok {
		if pumped := own.pumped(exporter, consumerID, logger); pumped != nil {
			return pumped
		}
	}
}

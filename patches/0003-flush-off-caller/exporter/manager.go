//go:build ignore

package exporter

//offlock:replace managerImpl.AddEvent 032cdcc1210c#1
func _() {
	requestFlush[T](consumer)
}

//offlock:replace managerImpl.AddEvent 032cdcc1210c#2
func _() {
	requestFlush[T](consumer)
}

//offlock:replace managerImpl.Start 05be37a7fdec
func _() {
	consumer.Start()
}

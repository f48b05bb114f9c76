//go:build ignore

package ffclient_test

//offlock:before TestValidTrackingEvent 35e566fbf620
func _() {
	goff.Close() // Track does not wait for the export, Close does
}

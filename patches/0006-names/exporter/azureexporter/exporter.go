//go:build ignore

package azureexporter

//offlock:after Exporter.Export 1a9cac12990a
func _() {
	fileExporter.FilePerBatch = true // a second blob of the same name would overwrite the first
}

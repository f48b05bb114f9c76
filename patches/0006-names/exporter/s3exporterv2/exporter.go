//go:build ignore

package s3exporterv2

//offlock:after Exporter.Export 1a9cac12990a
func _() {
	fileExporter.FilePerBatch = true // a second object of the same name would overwrite the first
}

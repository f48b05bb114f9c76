//go:build ignore

package fileexporter

import "github.com/thomaspoignant/go-feature-flag/exporter"

//offlock:fields after ParquetCompressionCodec
type Exporter struct {

	// FilePerBatch writes every exported batch to a file of its own instead of appending to a file of the same name:
	// see exporter.ComputeBatchFilename for what makes its name unique. Parquet files are always written like this.
	// Default: false
	FilePerBatch bool
}

//offlock:replace Exporter.Export 86c51aa53adb
func _() {
	computeFilename := exporter.ComputeFilename
	if f.FilePerBatch || f.Format == "parquet" {
		// a parquet file cannot be appended to: without a name of its own it would replace the one before it
		computeFilename = exporter.ComputeBatchFilename
	}
	filename, err := computeFilename(f.filenameTemplate, f.Format)
}

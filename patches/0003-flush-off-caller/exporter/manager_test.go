//go:build ignore

package exporter_test

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//offlock:replace TestDataExporterManager_flushWithNumberOfEvents 30613d16962d
func _() {
	// the consumer's own goroutine exports them, and what has arrived until it begins
	require.Eventually(t, func() bool { return len(tt.mockExporter.GetExportedEvents()) >= 100 },
		10*time.Second, 20*time.Millisecond)
	got := tt.mockExporter.GetExportedEvents()
	assert.Equal(t, want[:len(got)], got)
}

//offlock:replace TestDataExporterManager_defaultFlush 27dec7591972
func _() {
	// the consumer's own goroutine exports them, and what has arrived until it begins
	require.Eventually(t, func() bool { return len(tt.mockExporter.GetExportedEvents()) >= 100000 },
		10*time.Second, 20*time.Millisecond)
	got := tt.mockExporter.GetExportedEvents()
	assert.Equal(t, want[:len(got)], got)
}

//offlock:after TestDataExporterManager_exporterReturnError af27a8cbfe86
func _() {
	dc.Stop() // the exports and their log lines are those of the consumer's own goroutine
}

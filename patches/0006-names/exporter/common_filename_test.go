//go:build ignore

package exporter_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

func TestComputeFilename_BatchField(t *testing.T) {
	const calls = 10000
	hostname, err := os.Hostname()
	require.NoError(t, err)
	template := exporter.ParseTemplate("filenameFormat", "{{ .Hostname}}/{{ .Batch}}.{{ .Format}}", "")
	names := make(map[string]struct{}, calls)
	for range calls {
		name, err := exporter.ComputeFilename(template, "JSON")
		require.NoError(t, err)
		require.Regexp(t, "/[0-9]{21}\\.json$", name)
		require.Contains(t, name, hostname+"/")
		names[name] = struct{}{}
	}
	assert.Len(t, names, calls, "a name was given twice")
}

//go:build ignore

package exporter_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

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

// Names sort by the time of their export.
func TestComputeFilename_BatchFieldBeginsWithTheTime(t *testing.T) {
	template := exporter.ParseTemplate("filenameFormat", "{{ .Timestamp}}{{ .Batch}}", "")
	before := time.Now().UnixNano()
	name, err := exporter.ComputeFilename(template, "json")
	after := time.Now().UnixNano()
	require.NoError(t, err)
	require.Len(t, name, 10+21)
	nanoseconds, err := strconv.ParseInt(name[:19], 10, 64)
	require.NoError(t, err)
	assert.LessOrEqual(t, before, nanoseconds)
	assert.LessOrEqual(t, nanoseconds, after)
}

// Two processes may export at the same instant: what is not the time in the digits of {{ .Batch}} has to differ, from
// call to call and from process to process.
func TestComputeFilename_BatchFieldOfTwoProcesses(t *testing.T) {
	const (
		calls = 100
		child = "COMPUTE_FILENAME_CHILD" // tells the processes that this test starts what they are for
	)
	if os.Getenv(child) != "" {
		template := exporter.ParseTemplate("filenameFormat", "batch-{{ .Batch}}", "")
		for range calls {
			name, err := exporter.ComputeFilename(template, "json")
			require.NoError(t, err)
			fmt.Printf("\n%s\n", name)
		}
		return
	}

	program, err := os.Executable()
	require.NoError(t, err)
	total, seen := 0, map[string]int{}
	for range 2 {
		process := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$")
		process.Env = append(os.Environ(), child+"=1")
		output, err := process.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(output)) {
			if digits, ok := strings.CutPrefix(strings.TrimSpace(line), "batch-"); ok {
				require.Len(t, digits, 21)
				seen[digits[9:]]++ // behind the nanoseconds
				total++
			}
		}
	}
	require.Equal(t, 2*calls, total, "names of both processes")
	assert.Len(t, seen, total, "digits were drawn more than once")
}

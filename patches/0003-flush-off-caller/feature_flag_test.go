//go:build ignore

package ffclient_test

import (
	"time"

	"github.com/stretchr/testify/require"
)

//offlock:replace TestValidUseCase 4117ec65e92d
func _() {
	// Track does not wait for the export
	require.Eventually(t, func() bool { return len(cliExport.GetExportedEvents()) == 1 },
		10*time.Second, 20*time.Millisecond)
}

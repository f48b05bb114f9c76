package spool

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary starts itself as the processes that the tests kill.
func TestMain(m *testing.M) {
	if task := os.Getenv(taskVariable); task != "" {
		runChild(task)
		return
	}
	goleak.VerifyTestMain(m)
}

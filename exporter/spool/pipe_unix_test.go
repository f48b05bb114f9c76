//go:build unix

package spool

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe that has the name of a lock is reported; it is not waited for until somebody writes to it.
func TestLockThatIsAPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "spool-0123456789abcdef.lock"), 0o600); err != nil {
		t.Skip(err)
	}
	var log logs
	s, err := New(&fakeSink{}, Options{Dir: dir, Logger: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(10*time.Second, func() { panic("Start waits for the pipe") })
	s.Start()
	timer.Stop()
	stop(t, s)
	if log.count("is no file") != 1 {
		t.Errorf("%q", log.lines)
	}
}

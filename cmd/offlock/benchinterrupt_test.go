//go:build linux

package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An interrupt in the middle of a benchmark leaves no process and no file behind.
func TestBenchInterrupted(t *testing.T) {
	clone := writeClone(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			temp := t.TempDir()
			cmd, stderr := startBench(t, clone, temp)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := endsWith(cmd.Wait(), exitIO); err != nil {
				t.Error(err)
			}
			if !strings.Contains(stderr.String(), "offlock: interrupted") {
				t.Errorf("stderr does not say why it ended: %q", stderr)
			}
			if runs(t, temp, "") {
				t.Errorf("a process from %s still runs", temp)
			}
			checkEmpty(t, temp)
		})
	}
}

// A kill cannot be handled: the benchmark must notice it, and the next run must remove the folder.
func TestBenchKilled(t *testing.T) {
	clone, temp := writeClone(t), t.TempDir()
	killed, _ := startBench(t, clone, temp)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	for runs(t, temp, "") {
		time.Sleep(time.Millisecond) // until it has ended; the test's deadline bounds it
	}

	next, _ := startBench(t, clone, temp)
	if err := next.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := endsWith(next.Wait(), exitIO); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		// The file that the killed run meant to write is the user's folder, where nothing is removed that this run did not make.
		if !strings.HasPrefix(entry.Name(), ".results.txt-") {
			t.Errorf("%s was left behind", entry.Name())
		}
	}
}

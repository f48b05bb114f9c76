//go:build unix

package parquet_test

import (
	"syscall"
	"time"
)

// cpuTime is what all threads of the process have used. The library's writer
// spreads over every core, so its wall time alone flatters it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Package driver lets a process end with the one that drives it: the one that holds the other end of the pipe that is its
// standard input. However that one ends, the system closes the pipe.
package driver

import (
	"context"
	"io"
	"os"
)

// Of is the driver of the process whose standard input is stdin; nil if it has none, because stdin is a terminal, a file
// or /dev/null.
func Of(stdin *os.File) io.Reader {
	info, err := stdin.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	return stdin
}

// Context is ctx, but that it also ends when driver does. A nil driver never ends. What driver sends is thrown away.
// A goroutine reads from driver until that has ended.
func Context(ctx context.Context, driver io.Reader) context.Context {
	if driver == nil {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, driver)
	}()
	return ctx
}

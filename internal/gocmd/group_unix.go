//go:build unix

package gocmd

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// endTogether puts the command in a process group of its own, which is told to end as one. SIGTERM and not SIGKILL:
// git would leave lock files in the module cache, over which the next download fails.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

//go:build unix

package regress

import (
	"os"
	"os/exec"
	"syscall"
)

// supported: signals and process groups are there.
const supported = true

// ownGroup makes a command start in a process group of its own, so that a Ctrl-C on the terminal reaches us alone and a
// kill reaches all of its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends every process of the group that p leads.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// terminate asks p to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// fileLimit is how many files this process may open. Go programs, this one and the service alike, raise their own soft
// limit to the hard one at their start, so that is what counts.
func fileLimit() (uint64, error) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return uint64(limit.Cur), err
}

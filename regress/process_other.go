//go:build !unix

package regress

import (
	"math"
	"os"
	"os/exec"
)

// supported: a service cannot be asked to stop here, so no run can be tallied.
const supported = false

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }

func terminate(p *os.Process) error { return p.Kill() }

func fileLimit() (uint64, error) { return math.MaxUint64, nil }

package regress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

const modulePath = "github.com/offlock/offlock"

var moduleLine = regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(modulePath) + `\s*$`)

// ErrNoClone is the error of [FindRoot] outside a clone of this project.
var ErrNoClone = errors.New("not inside a clone of " + modulePath +
	": the proof builds the service in examples/evalapi; clone the repository and run it there")

// FindRoot walks up from dir to the clone of this project that it is in.
func FindRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for d := abs; ; d = filepath.Dir(d) {
		content, err := os.ReadFile(filepath.Join(d, "go.mod"))
		switch {
		case err == nil && moduleLine.Match(content):
			return d, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		case d == filepath.Dir(d):
			return "", fmt.Errorf("%s is %w", abs, ErrNoClone)
		}
	}
}

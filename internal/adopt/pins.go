package adopt

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/offlock/offlock/internal/modtree"
)

// Pins is what the service records of a version: what its go.sum, or the fork's lock, says it must hash to. Both fields
// may be empty.
func (s *Service) Pins(version string, lock *modtree.Lock) (modtree.Hashes, error) {
	return s.pins(version, lock)
}

// pins collects what go.sum files record of a version, and what the lock does: a tidy drops the lines of go.sum while
// the fork is in use.
func (s *Service) pins(version string, lock *modtree.Lock, more ...[]byte) (modtree.Hashes, error) {
	var found modtree.Hashes
	if lock != nil && lock.Base == version {
		found = modtree.Hashes{Sum: lock.Sum, GoModSum: lock.GoModSum}
	}
	texts := more
	for _, file := range s.sumFiles() {
		text, err := readIfThere(file)
		if err != nil {
			return found, err
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		for _, line := range sumLines(text) {
			fields := strings.Fields(line)
			switch fields[1] {
			case version:
				found.Sum = fields[2]
			case version + "/go.mod":
				found.GoModSum = fields[2]
			}
		}
	}
	return found, nil
}

// sumFiles are the go.sum files that builds here read.
func (s *Service) sumFiles() []string {
	var files []string
	for _, dir := range s.Modules {
		files = append(files, filepath.Join(dir, "go.sum"))
	}
	if s.Workspace != "" {
		files = append(files, filepath.Join(s.Home(), "go.work.sum"))
	}
	return files
}

// fromDatabase asks the checksum database for the hashes of a version, in a module that nothing replaces: where the
// fork replaces a version, the go command adds no line of it to go.sum. It refuses where the user's settings keep the
// database out of it, because then nothing would vouch for what the proxy serves.
func (s *Service) fromDatabase(ctx context.Context, version string) (modtree.Hashes, error) {
	env, err := goEnv(ctx, s.Root, "GOSUMDB", "GONOSUMDB")
	if err != nil {
		return modtree.Hashes{}, err
	}
	if env["GOSUMDB"] == "off" || module.MatchPrefixPatterns(env["GONOSUMDB"], modtree.UpstreamPath) {
		return modtree.Hashes{}, fmt.Errorf("nothing says what go-feature-flag %s must hash to: go.sum has no line of it, because it "+
			"is replaced, and the checksum database is not to be asked (GOSUMDB=%s, GONOSUMDB=%s); "+
			"offlock apply --to %s lets go get record what your proxy serves", version, env["GOSUMDB"], env["GONOSUMDB"], version)
	}
	base, err := modtree.FetchUnpinned(ctx, version)
	if err != nil {
		return modtree.Hashes{}, err
	}
	return base.Hashes, nil
}

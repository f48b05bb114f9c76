package adopt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Unreached is a replace line of go-feature-flag's own go.mod. Such lines hold where go-feature-flag itself is built
// and tested, not in a service, so the service builds another version of that module than upstream tests.
type Unreached struct {
	Path    string `json:"path"`    // the module
	Version string `json:"version"` // what this service builds of it
	Line    string `json:"line"`    // upstream's line
	Command string `json:"command"` // what adds the same line here
}

// checkBuild asks the go command which packages this service builds: a build that cannot begin is a problem, and of those
// that can it lists upstream's lines that concern a package and for which the service has no line itself.
func (s *Service) checkBuild(ctx context.Context, a *adoption, c *Checked) error {
	gomod := filepath.Join(a.dir, "go.mod")
	text, err := readModFile(gomod)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(s.show(gomod), text, nil)
	if err != nil {
		return parseError(err)
	}
	built, err := s.built(ctx)
	var failed *GoError
	switch {
	case errors.As(err, &failed) && failed.Network:
		c.Warnings = append(c.Warnings, fmt.Sprintf("which packages this service builds could not be found out, so neither that it builds nor upstream's own replace lines were checked: %v", failed))
		return nil
	case errors.As(err, &failed):
		c.Add(BuildFails, "this service does not build as it is: %s", failed.Stderr)
		return nil
	case err != nil:
		return err
	}
	for _, r := range f.Replace {
		version, ok := built[r.Old.Path]
		if !ok || r.Old.Version != "" && r.Old.Version != version || r.New.Version == "" {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		c.Unreached = append(c.Unreached, Unreached{
			Path: r.Old.Path, Version: version,
			Line:    fmt.Sprintf("replace %s => %s %s", strings.ReplaceAll(old, "@", " "), r.New.Path, r.New.Version),
			Command: fmt.Sprintf("go mod edit -replace=%s=%s@%s && go mod tidy", old, r.New.Path, r.New.Version),
		})
	}
	return nil
}

// built asks the go command for the modules of which this service builds packages, with their versions; those that the
// service replaces are left out. A [*GoError] says that a build could not begin either.
func (s *Service) built(ctx context.Context) (map[string]string, error) {
	const format = `{{with .Module}}{{.Path}} {{.Version}} {{if .Replace}}replaced{{end}}{{end}}`
	var out []byte
	err := s.keepWorkSum(func() (err error) {
		out, err = goCommand(ctx, s.Root, nil, "list", "-deps", "-f", format, "./...")
		return err
	})
	if err != nil {
		return nil, err
	}
	built := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			built[fields[0]] = fields[1]
		}
	}
	return built, nil
}

package adopt

import (
	"context"
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

// checkUnreached lists the lines that concern packages which this service builds and for which it has no line itself.
func (s *Service) checkUnreached(ctx context.Context, a *adoption, c *Checked) error {
	gomod := filepath.Join(a.dir, "go.mod")
	text, err := readModFile(gomod)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(s.show(gomod), text, nil)
	if err != nil {
		return parseError(err)
	}
	if len(f.Replace) == 0 {
		return nil
	}
	const format = `{{with .Module}}{{.Path}} {{.Version}} {{if .Replace}}replaced{{end}}{{end}}`
	out, err := goCommand(ctx, s.Root, nil, "list", "-deps", "-f", format, "./...")
	if failed, ok := err.(*GoError); ok {
		c.Warnings = append(c.Warnings, fmt.Sprintf("which packages this service builds could not be found out, so upstream's own replace lines were not compared: %v", failed))
		return nil
	}
	if err != nil {
		return err
	}
	built := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			built[fields[0]] = fields[1]
		}
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

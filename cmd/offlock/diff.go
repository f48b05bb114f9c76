package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/offlock/offlock/internal/fork"
	"github.com/offlock/offlock/patches"
)

func newDiffCommand(a *app) *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use:   "diff [PATCH]",
		Short: "Print what the fork, or one patch, changes, as a diff that git apply takes",
		Long: `diff prints a unified diff: of the whole fork against upstream, or of one PATCH (its name or
number) against upstream with the patches before it. git apply takes it in a copy of upstream.

In a service it is for the version that its build selects and for the patches that its fork
has; elsewhere for the newest recorded base. --base chooses another version.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			series, err := patches.Embedded()
			if err != nil {
				return err
			}
			subject, err := findSubject(cmd.Context(), series, base)
			if err != nil {
				return err
			}
			out := diffJSON{Version: subject.version, Files: []changedFile{}}
			var changes []patches.Change
			if len(args) == 1 {
				out.Patch, changes, err = patchChanges(cmd.Context(), series, subject, args[0])
			} else {
				changes, err = forkChanges(cmd.Context(), series, subject)
			}
			if err != nil {
				return err
			}
			var text bytes.Buffer
			for _, c := range changes {
				text.Write(unified(c))
				out.Files = append(out.Files, describeChange(c))
			}
			if a.json {
				out.Diff = text.String()
				return writeJSON(a.out, out)
			}
			_, err = a.out.Write(text.Bytes())
			return err
		},
	}
	cmd.Flags().StringVar(&base, "base", "", "for this `VERSION` of go-feature-flag")
	return cmd
}

// diffJSON is what diff prints with --json.
type diffJSON struct {
	Version string        `json:"version"`
	Patch   string        `json:"patch,omitempty"`
	Files   []changedFile `json:"files"`
	Diff    string        `json:"diff"`
}

type changedFile struct {
	Path   string `json:"path"`
	Status string `json:"status"` // added, deleted, modified
}

func describeChange(c patches.Change) changedFile {
	status := "modified"
	switch {
	case c.Before == nil:
		status = "added"
	case c.After == nil:
		status = "deleted"
	}
	return changedFile{c.Path, status}
}

// patchChanges is what one patch changes on top of those before it.
func patchChanges(ctx context.Context, series *patches.Series, s *subject, name string) (string, []patches.Change, error) {
	patch, err := series.Find(name)
	if err != nil {
		return "", nil, err
	}
	report, err := reportOf(ctx, series, s, patch, s.selection)
	if err == nil && report.State == patches.LeftOut { // not in this fork: what it would change in the whole one
		report, err = reportOf(ctx, series, s, patch, patches.Selection{})
	}
	if err != nil {
		return "", nil, err
	}
	if !report.State.Applies() {
		return "", nil, fmt.Errorf("%s changes nothing in %s (%s: %s); choose another version with --base", patch.Name, s.version, report.State, report.Reason)
	}
	return patch.Name, report.Changes, nil
}

func reportOf(ctx context.Context, series *patches.Series, s *subject, patch *patches.Patch, sel patches.Selection) (*patches.Report, error) {
	f, err := fork.Status(ctx, series, s.version, s.pins, sel)
	if err != nil {
		return nil, err
	}
	for _, r := range f.Result.Reports {
		if r.Patch.Name == patch.Name {
			return &r, nil
		}
	}
	return nil, fmt.Errorf("%s was not evaluated for %s", patch.Name, s.version)
}

// forkChanges is what the whole fork changes, sorted by path.
func forkChanges(ctx context.Context, series *patches.Series, s *subject) ([]patches.Change, error) {
	f, err := fork.Build(ctx, series, s.version, s.pins, s.selection)
	if err != nil {
		return nil, err
	}
	var changes []patches.Change
	for _, path := range slices.Sorted(maps.Keys(f.Result.Files)) {
		c := patches.Change{Path: path, After: f.Result.Files[path]}
		c.Before, err = fs.ReadFile(f.Base.FS(), path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if c.Before != nil || c.After != nil {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// unified is one file's change in git's form. An added or deleted file carries its mode and /dev/null, without which git
// apply takes it for a change of an empty file.
func unified(c patches.Change) []byte {
	var out bytes.Buffer
	from, to := "a/"+c.Path, "b/"+c.Path
	fmt.Fprintf(&out, "diff --git %s %s\n", from, to)
	if c.Before == nil {
		out.WriteString("new file mode 100644\n")
		from = "/dev/null"
	}
	if c.After == nil {
		out.WriteString("deleted file mode 100644\n")
		to = "/dev/null"
	}
	_, body, found := strings.Cut(string(diff.Diff("a", c.Before, "b", c.After)), "\n@@ ")
	if found { // an empty file has a head alone
		fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ %s", from, to, body)
	}
	return out.Bytes()
}

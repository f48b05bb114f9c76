package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/offlock/offlock/internal/adopt"
	"github.com/offlock/offlock/internal/fork"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

func newApplyCommand(a *app) *cobra.Command {
	var (
		opts adopt.ApplyOptions
		sel  patches.Selection
	)
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Write the fork into this service and make its builds use it",
		Long: `apply takes the go-feature-flag version that the build of this service selects, writes the
fork of it (default folder ` + adopt.DefaultDir + `, below go.mod or go.work), and adds one
replace line to go.mod, in a workspace to go.work too. A vendor folder is made anew. Nothing
else in go.mod changes, and go.sum keeps its lines. Either all of it happens, or nothing; after
a power cut or a kill, the next apply or revert undoes what was half done.

Run it again after every change of the go-feature-flag requirement; where nothing is to be
done, nothing changes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			series, err := patches.Embedded()
			if err != nil {
				return err
			}
			service, err := adopt.Open(cmd.Context(), ".")
			if err != nil {
				return err
			}
			var made *fork.Fork
			opts.Tool, opts.Only, opts.Without, opts.Progress = toolVersion(), sel.Only, sel.Without, a.progressf
			opts.Message = a.messagef
			opts.Build = func(ctx context.Context, version string, sums modtree.Hashes) (*modtree.Base, *modtree.Tree, error) {
				f, err := fork.Build(ctx, series, version, sums, sel)
				if err != nil {
					return nil, nil, err
				}
				made = f
				return f.Base, f.Tree, nil
			}
			applied, err := service.Apply(cmd.Context(), opts)
			if err != nil {
				return err
			}
			return a.reportApplied(applied, made.Result)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.To, "to", "", "require this go-feature-flag `VERSION` first, with go get")
	flags.StringVar(&opts.Dir, "dir", "", "write the fork to `FOLDER` (default "+adopt.DefaultDir+")")
	flags.StringSliceVar(&sel.Only, "only", nil, "take only these `PATCHES` (names or numbers) and what they need")
	flags.StringSliceVar(&sel.Without, "without", nil, "leave these `PATCHES` out")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "write nothing, say what would be done")
	return cmd
}

// appliedJSON is what apply prints with --json.
type appliedJSON struct {
	*adopt.Applied
	Tested   bool       `json:"tested"`   // upstream's tests were run on this fork before release
	PulledIn []pulledIn `json:"pulledIn"` // patches that were not asked for
}

type pulledIn struct {
	Patch string `json:"patch"`
	By    string `json:"by"`
}

func (a *app) reportApplied(applied *adopt.Applied, result *patches.Result) error {
	out := appliedJSON{Applied: applied, Tested: result.Tested, PulledIn: []pulledIn{}}
	for _, r := range result.Reports {
		if r.PulledBy != "" && r.State.Applies() {
			out.PulledIn = append(out.PulledIn, pulledIn{r.Patch.Name, r.PulledBy})
		}
		if r.State == patches.Adopted {
			a.messagef("%s is left out: %s", r.Patch.Name, r.Reason)
		}
	}
	if !result.Tested {
		a.messagef("go-feature-flag %s has no base file in this offlock: every patch fits it, but upstream's tests were not run on this fork", result.Version)
	}
	if a.json {
		return writeJSON(a.out, out)
	}
	for _, m := range applied.Moved {
		fmt.Fprintf(a.out, "moved: %s %s => %s\n", m.Path, orNone(m.From), orNone(m.To))
	}
	for _, p := range out.PulledIn {
		fmt.Fprintf(a.out, "pulled in: %s, because %s needs it\n", p.Patch, p.By)
	}
	printDockerNotes(a.out, applied.Dockerfiles)
	for _, line := range threeLines(applied) {
		fmt.Fprintln(a.out, line)
	}
	return nil
}

// threeLines say what happened, what to do about it, and how to undo it.
func threeLines(r *adopt.Applied) [3]string {
	what := fmt.Sprintf("go-feature-flag %s", r.Base)
	where := fmt.Sprintf("from %s, with %s", r.Dir, counted(r.Patches))
	touched := strings.Join(append([]string{r.Dir, r.Lock}, append(r.Edited, r.Vendored...)...), ", ")
	switch {
	case r.DryRun && r.Changed:
		return [3]string{
			fmt.Sprintf("%s would build %s (%d files).", what, where, r.Files),
			"This would be written: " + touched + ".",
			"Nothing was written; without --dry-run it is, and offlock revert undoes it.",
		}
	case !r.Changed:
		return [3]string{
			fmt.Sprintf("Nothing to do: %s already builds %s.", what, where),
			"offlock check tells whether that is still so, in CI for example.",
			"offlock revert undoes it.",
		}
	}
	first := fmt.Sprintf("%s now builds %s.", what, where)
	if r.Was != "" && r.Was != r.Base {
		first = fmt.Sprintf("%s now builds %s; the fork of %s is gone.", what, where, r.Was)
	}
	return [3]string{
		first,
		"Commit " + touched + "; offlock check tells in CI when a build no longer uses the fork.",
		"offlock revert undoes it.",
	}
}

func counted(names []string) string {
	switch len(names) {
	case 0:
		return "no patch"
	case 1:
		return "the patch " + names[0]
	}
	return fmt.Sprintf("%d patches: %s", len(names), strings.Join(names, ", "))
}

func orNone(version string) string {
	if version == "" {
		return "(none)"
	}
	return version
}

func printDockerNotes(w io.Writer, notes []adopt.DockerNote) {
	for _, n := range notes {
		fmt.Fprintf(w, "docker: %s\n", n.Text)
	}
}

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/offlock/offlock/internal/adopt"
)

func newRevertCommand(a *app) *cobra.Command {
	var opts adopt.RevertOptions
	cmd := &cobra.Command{
		Use:   "revert",
		Short: "Take back all that apply did",
		Long: `revert puts go.mod, go.work and go.sum back, byte for byte where nothing else changed them
since; elsewhere it takes out only what apply put in, and says so. Lines of go.sum that a tidy
dropped meanwhile come back. A vendor folder is made anew. Then the fork and its lock file are
removed. In a workspace it ends the use of the fork in all its modules.

A fork folder with edits is left alone, and then nothing is reverted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			service, err := adopt.Open(cmd.Context(), ".")
			if err != nil {
				return err
			}
			opts.Progress, opts.Message = a.progressf, a.messagef
			reverted, err := service.Revert(cmd.Context(), opts)
			if err != nil {
				return err
			}
			return a.reportReverted(reverted)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "look for the fork in `FOLDER` (default: where the replace line points)")
	return cmd
}

func (a *app) reportReverted(r *adopt.Reverted) error {
	if a.json {
		return writeJSON(a.out, r)
	}
	for _, line := range []struct {
		text  string
		files []string
	}{
		{"as before apply, byte for byte", r.Restored},
		{"changed since apply, so only the replace line was taken out (requirements stay as they are)", r.Partly},
		{"got the lines back that a tidy had dropped", r.Sums},
		{"made anew", r.Vendored},
		{"gone since apply, so left alone", r.Missing},
	} {
		if len(line.files) > 0 {
			fmt.Fprintf(a.out, "%s: %s\n", strings.Join(line.files, ", "), line.text)
		}
	}
	fmt.Fprintf(a.out, "%s is removed; builds use plain go-feature-flag again.\n", r.Dir)
	return nil
}

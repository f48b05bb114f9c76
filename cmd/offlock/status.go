package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/offlock/offlock/internal/fork"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

func newStatusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "List bases and patches with their state",
		Long: `status lists the recorded bases and says of every patch what it would do: in a service on the
version that its build selects, elsewhere on every recorded base.

States: clean, comment-only and moved apply; drifted, context-drift, gone and ambiguous stop
apply; adopted, landed, not-for-this-base and left-out are not part of the fork.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			series, err := patches.Embedded()
			if err != nil {
				return err
			}
			subject, err := findSubject(cmd.Context(), series, "")
			if err != nil {
				return err
			}
			out, err := a.status(cmd.Context(), series, subject)
			if err != nil {
				return err
			}
			if a.json {
				return writeJSON(a.out, out)
			}
			return out.print(a.out)
		},
	}
}

// statusJSON is what status prints with --json.
type statusJSON struct {
	Service  *serviceStatus  `json:"service"` // null outside of a service
	Bases    []baseStatus    `json:"bases"`
	Versions []versionStatus `json:"versions"`
}

type serviceStatus struct {
	Selected string   `json:"selected"`
	Adopted  bool     `json:"adopted"`
	Dir      string   `json:"dir"`
	Base     string   `json:"base,omitempty"`    // of the fork
	Patches  []string `json:"patches,omitempty"` // of the fork
}

type baseStatus struct {
	Version string `json:"version"`
	Sum     string `json:"sum"`
	Commit  string `json:"commit"`
}

type versionStatus struct {
	Version string        `json:"version"`
	Tested  bool          `json:"tested"` // it is a recorded base
	Patches []patchStatus `json:"patches"`
}

type patchStatus struct {
	Name     string          `json:"name"`
	Title    string          `json:"title"`
	State    patches.State   `json:"state"`
	Reason   string          `json:"reason,omitempty"`
	Findings []findingStatus `json:"findings,omitempty"`
}

type findingStatus struct {
	File   string        `json:"file"`
	Decl   string        `json:"decl,omitempty"`
	State  patches.State `json:"state"`
	Reason string        `json:"reason,omitempty"`
	Diff   string        `json:"diff,omitempty"`
}

func (a *app) status(ctx context.Context, series *patches.Series, s *subject) (*statusJSON, error) {
	out := &statusJSON{Bases: []baseStatus{}, Versions: []versionStatus{}}
	versions := map[string]modtree.Hashes{}
	var order []string
	for _, b := range series.Bases() {
		out.Bases = append(out.Bases, baseStatus{b.Version, b.Sum, b.Commit})
		order = append(order, b.Version)
	}
	if s.inService {
		out.Service = &serviceStatus{Selected: s.version, Dir: s.dir}
		if s.lock != nil {
			out.Service.Adopted, out.Service.Base, out.Service.Patches = true, s.lock.Base, s.lock.Patches
		}
		order, versions[s.version] = []string{s.version}, s.pins
	}
	for _, version := range order {
		a.progressf("looking at go-feature-flag %s", version)
		f, err := fork.Status(ctx, series, version, versions[version], patches.Selection{})
		if err != nil {
			return nil, err
		}
		out.Versions = append(out.Versions, describeVersion(f.Result))
	}
	return out, nil
}

func describeVersion(r *patches.Result) versionStatus {
	v := versionStatus{Version: r.Version, Tested: r.Tested, Patches: []patchStatus{}}
	for _, report := range r.Reports {
		p := patchStatus{Name: report.Patch.Name, Title: report.Patch.Title, State: report.State, Reason: report.Reason}
		for _, f := range report.Findings {
			p.Findings = append(p.Findings, findingStatus{f.File, f.Decl, f.State, f.Reason, f.Diff})
		}
		v.Patches = append(v.Patches, p)
	}
	return v
}

func (s *statusJSON) print(w io.Writer) error {
	if s.Service != nil {
		fmt.Fprintf(w, "This service builds go-feature-flag %s", s.Service.Selected)
		if s.Service.Adopted {
			fmt.Fprintf(w, "; %s holds the fork of %s, with %s (offlock check compares)", s.Service.Dir, s.Service.Base, counted(s.Service.Patches))
		} else {
			fmt.Fprint(w, "; the fork is not adopted")
		}
		fmt.Fprint(w, "\n\n")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "BASE\tCOMMIT\tMODULE HASH")
	for _, b := range s.Bases {
		fmt.Fprintf(t, "%s\t%.12s\t%s\n", b.Version, b.Commit, b.Sum)
	}
	for _, v := range s.Versions {
		recorded := "recorded"
		if !v.Tested {
			recorded = "no base file: upstream's tests were not run on its fork"
		}
		fmt.Fprintf(t, "\nON %s (%s)\n", v.Version, recorded)
		for _, p := range v.Patches {
			fmt.Fprintf(t, "%s\t%s\t%s\n", p.Name, p.State, p.Title)
			for _, f := range p.Findings {
				fmt.Fprintf(t, "\t%s\t%s\n", f.State, strings.TrimSuffix(f.File+": "+f.Decl, ": "))
			}
		}
	}
	return t.Flush()
}

package patches

import (
	"errors"
	"fmt"
	"io/fs"
)

// Status evaluates every patch against a version's tree without applying the failing ones; it reports, it does not refuse.
// An error means that the selection cannot be met (*SelectionError), or that the tree cannot be read.
func (s *Series) Status(version string, upstream fs.FS, opts Options) (*Result, error) {
	r, err := s.evaluate(version, upstream, opts)
	if err != nil {
		return nil, err
	}
	return r.result, nil
}

// Apply applies the selected patches to upstream's tree. It refuses (*DriftError) when a selected patch does not apply, and
// then returns no result. Other errors are those of Status.
func (s *Series) Apply(version string, upstream fs.FS, opts Options) (*Result, error) {
	r, err := s.evaluate(version, upstream, opts)
	if err != nil {
		return nil, err
	}
	if err := r.refused(); err != nil {
		return nil, err
	}
	return r.result, nil
}

// run is one walk through the series.
type run struct {
	series   *Series
	version  string
	opts     Options
	pristine *tree // as upstream released it: what fingerprints are taken of
	current  *tree // with the patches so far
	result   *Result
	states   map[*Patch]State
	matched  map[*Patch]string // the base that a patch was found to match
	ledger   *ledger
	// each, if set, sees every patch that was applied.
	each func(*application) error
}

func (s *Series) newRun(version string, upstream fs.FS, opts Options) *run {
	_, tested := s.bases[version]
	pristine := newTree(upstream)
	return &run{
		series: s, version: version, opts: opts,
		pristine: pristine, current: newTree(upstream),
		result: &Result{Version: version, Tested: tested},
		states: map[*Patch]State{}, matched: map[*Patch]string{},
		ledger: &ledger{pristine: pristine, entries: map[string][]entry{}},
	}
}

func (s *Series) evaluate(version string, upstream fs.FS, opts Options) (*run, error) {
	r := s.newRun(version, upstream, opts)
	return r, r.walk()
}

func (r *run) walk() error {
	pl, err := r.series.plan(r.version, r.opts.Selection)
	if err != nil {
		return err
	}
	for _, p := range r.series.Patches {
		report, left := pl.left[p]
		if !left {
			if report, err = r.patch(p); err != nil {
				return err
			}
			report.PulledBy = pl.pulledBy[p]
		}
		r.states[p], r.matched[p] = report.State, report.Base
		r.result.Reports = append(r.result.Reports, report)
	}
	r.result.Files = r.current.changed
	return nil
}

// refused is the error for the patches that do not apply.
func (r *run) refused() error {
	var reports []Report
	for _, report := range r.result.Reports {
		if report.State.refuses() {
			reports = append(reports, report)
		}
	}
	if len(reports) == 0 {
		return nil
	}
	return &DriftError{Version: r.version, Reports: reports}
}

// patch checks one selected patch and applies it if it is fit.
func (r *run) patch(p *Patch) (Report, error) {
	for _, needed := range r.series.needs(p, r.version) {
		switch state := r.states[needed]; {
		case state.Applies() || state == Landed || state == Adopted:
		case state == NotForBase:
			return Report{Patch: p, State: ContextDrift,
				Reason: fmt.Sprintf("it needs %s, which is not for %s; say below which release it needs it", needed.Name, r.version)}, nil
		default:
			return Report{Patch: p, State: ContextDrift, Reason: fmt.Sprintf("it needs %s, which does not apply", needed.Name)}, nil
		}
	}
	report, record, err := r.check(p)
	if err != nil || !report.State.Applies() {
		return report, err
	}
	variant := r.version
	if report.Base != "" {
		variant = report.Base
	}
	needs := r.series.allNeeds(p, r.version)
	a := &application{patch: p, tree: r.current, record: record, sources: r.series.Sources,
		admit: func(a *application) error { return r.ledger.check(a, needs) }}
	changes, err := a.run(p.variant(variant))
	var failed *EditError
	if errors.As(err, &failed) {
		return Report{Patch: p, State: failed.State, Base: report.Base, Reason: failed.Problem + "; " + failed.Next,
			Findings: []Finding{{File: failed.File, Decl: failed.Decl, State: failed.State, Reason: failed.Problem}}}, nil
	}
	if err != nil {
		return report, fmt.Errorf("applying patch %s: %w", p.Name, err)
	}
	report.Changes = changes
	if err := r.ledger.note(a, needs); err != nil {
		return report, err
	}
	if r.each != nil {
		err = r.each(a)
	}
	return report, err
}

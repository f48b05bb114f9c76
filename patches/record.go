package patches

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Record applies every patch that is for a version, compares nothing, and returns what has to be compared from now on. Sums
// and commit are left to the caller. It refuses (*DriftError) if a patch cannot be applied at all, and if one uses what an
// earlier one adds and does not say so in its Needs line.
//
// The same series and tree give the same record.
func (s *Series) Record(version string, upstream fs.FS) (*Base, error) {
	b := &Base{Version: version, Patches: map[string]*PatchRecord{}, Fingerprints: map[string]Fingerprint{}}
	rec := &recorder{base: b}
	rec.run = s.newRun(version, upstream, Options{Unrecorded: true})
	rec.run.each = rec.patch
	if err := rec.run.walk(); err != nil {
		return nil, err
	}
	if err := rec.run.refused(); err != nil {
		return nil, err
	}
	return b, nil
}

// recorder follows a run and notes what each patch has to do with upstream's own code.
type recorder struct {
	run  *run
	base *Base
}

func (rec *recorder) patch(a *application) error {
	touches, adds, files, leans := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	own := map[string]bool{}
	needs := rec.run.series.allNeeds(a.patch, rec.run.version)
	for _, f := range a.log.files {
		files[f] = true
	}
	for _, t := range a.log.added {
		own[t.scope+":"+t.name] = true
	}
	for _, t := range a.log.touched {
		address, err := rec.upstream(a.patch, t)
		if err != nil {
			return err
		}
		if address != "" {
			touches[address] = true
		}
	}
	for address := range own {
		units, err := rec.run.pristine.locate(address)
		if err != nil {
			return err
		}
		if len(units) == 0 { // else an earlier patch has deleted it
			adds[address] = true
		}
	}
	used, err := rec.used(a)
	if err != nil {
		return err
	}
	for _, t := range used {
		if own[t.scope+":"+t.name] {
			continue
		}
		address, err := rec.upstream(a.patch, t)
		if err != nil {
			return err
		}
		if address == "" || touches[address] {
			continue
		}
		// What a needed patch edits is in that one's record.
		if !slices.ContainsFunc(rec.run.ledger.entries[address], func(e entry) bool { return needs[e.patch] }) {
			leans[address] = true
		}
	}
	results, err := rec.results(a)
	if err != nil {
		return err
	}
	rec.base.Patches[a.patch.Name] = &PatchRecord{sorted(touches), sorted(adds), sorted(files), sorted(leans), results}
	return nil
}

// results fingerprints the functions that the patch has edited inside.
func (rec *recorder) results(a *application) (map[string]string, error) {
	results := map[string]string{}
	for _, t := range a.log.touched {
		if t.whole || t.edit.op == addFields {
			continue
		}
		address, err := rec.run.current.address(t.scope, t.name, t.path)
		if err != nil {
			return nil, err
		}
		units, err := rec.run.current.locate(address)
		if err != nil {
			return nil, err
		}
		results[address] = units[0].fingerprint()
	}
	return results, nil
}

// upstream fingerprints the declaration if it is upstream's own, and returns its address; "" if it is ours.
func (rec *recorder) upstream(p *Patch, t touch) (string, error) {
	pristine := rec.run.pristine
	address, err := pristine.address(t.scope, t.name, t.path)
	if err != nil {
		return "", err
	}
	units, err := pristine.locate(address)
	if err != nil {
		return "", err
	}
	needs := rec.run.series.allNeeds(p, rec.run.version)
	var owners []*Patch // who has replaced or added it as a whole, in order
	for _, e := range rec.run.ledger.entries[address] {
		if e.touch.whole && e.patch != p {
			owners = append(owners, e.patch)
		}
	}
	needed := slices.ContainsFunc(owners, func(o *Patch) bool { return needs[o] })
	switch {
	case needed:
		return "", nil
	case len(units) == 0 && len(owners) > 0:
		return "", &EditError{p.Name, t.path, t.name, Gone, "it comes from " + owners[0].Name + ", which is not needed",
			"add " + owners[0].Number() + " to the Needs line"}
	case len(units) == 0:
		return "", nil
	}
	rec.base.Fingerprints[address] = units[0].record()
	return address, nil
}

// used is what the patch's code uses and what its Leans line names.
func (rec *recorder) used(a *application) ([]touch, error) {
	list, err := a.leans()
	if err != nil {
		return nil, fmt.Errorf("patch %s: finding what it leans on: %w", a.patch.Name, err)
	}
	for _, address := range a.patch.Leans {
		scope, name, _ := strings.Cut(address, ":")
		units, err := rec.run.current.find(scope, name)
		if err != nil {
			return nil, err
		}
		if len(units) != 1 {
			return nil, fmt.Errorf("patch %s/PATCH.md: key Leans: %s names %d declarations of %s; correct it", a.patch.Name, address,
				len(units), rec.run.version)
		}
		list = append(list, touch{scope: scope, name: name, path: units[0].src.path})
	}
	return list, nil
}

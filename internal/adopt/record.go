package adopt

import (
	"path/filepath"
	"reflect"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// newLock is the lock as it is to be written, still without the edits of this run.
func (s *Service) newLock(p *plan, opts ApplyOptions) (*modtree.Lock, error) {
	lock := &modtree.Lock{
		Tool: opts.Tool, Module: modtree.UpstreamPath, Base: p.base.Version, Sum: p.base.Sum, GoModSum: p.base.GoModSum,
		Commit: p.base.Commit, Hash: p.tree.Marker.Hash, Patches: p.tree.Marker.Patches,
		Only: opts.Only, Without: opts.Without,
	}
	former := map[string][]string{}
	if p.lock != nil {
		lock.Edits = p.lock.Edits
		for _, sums := range p.lock.GoSum {
			former[sums.File] = sums.Lines
		}
	}
	for _, file := range s.sumFiles() {
		text, err := readIfThere(file)
		if err != nil {
			return nil, err
		}
		if planned, ok := p.texts[file]; ok {
			text = planned
		}
		rel, err := filepath.Rel(filepath.Dir(p.dir), file)
		if err != nil {
			return nil, err
		}
		rel = filepath.ToSlash(rel)
		found := sumLines(text)
		old := former[rel]
		if old != nil && p.lock.Base != p.base.Version || p.lock == nil && len(p.ours) > 0 && file == filepath.Join(s.Root, "go.sum") {
			// A service that was bumped with the fork in place, or tidied and then lost its lock, has no lines of this version.
			old = baseLines(p.base)
		}
		if old != nil {
			all, _ := addSums([]byte(strings.Join(append(found, ""), "\n")), old)
			found = sumLines(all)
		}
		if len(found) > 0 {
			lock.GoSum = append(lock.GoSum, modtree.SumLines{File: rel, Lines: found})
		}
	}
	return lock, nil
}

// sameLock tells whether nothing but the version of the tool would change.
func sameLock(lock, former *modtree.Lock) bool {
	if former == nil {
		return false
	}
	a, b := *lock, *former
	a.Tool, b.Tool = "", ""
	for _, l := range []*modtree.Lock{&a, &b} {
		if len(l.Edits) == 0 {
			l.Edits = nil
		}
		if len(l.GoSum) == 0 {
			l.GoSum = nil
		}
		if len(l.Patches) == 0 {
			l.Patches = nil
		}
		if len(l.Only) == 0 {
			l.Only = nil
		}
		if len(l.Without) == 0 {
			l.Without = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

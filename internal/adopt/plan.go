package adopt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/offlock/offlock/internal/modtree"
)

// plan is an apply that has not happened.
type plan struct {
	*adoption
	base    *modtree.Base
	tree    *modtree.Tree
	action  Action
	texts   map[string][]byte // new content of the service's files
	order   []string          // of texts
	vendor  []vendoring
	applied *Applied
}

func (p *plan) result() *Applied {
	if p == nil {
		return nil
	}
	return p.applied
}

// plan finds out what is to be done, and refuses what must not be.
func (s *Service) plan(ctx context.Context, opts ApplyOptions) (*plan, error) {
	a, err := s.adoption(opts.Dir)
	if err != nil {
		return nil, err
	}
	if err := s.refuse(a); err != nil {
		return nil, err
	}
	p := &plan{adoption: a, texts: map[string][]byte{}}
	version, got, err := s.version(ctx, a, opts)
	if err != nil {
		return nil, err
	}
	var more [][]byte
	if got != nil {
		more = append(more, got.gosum)
		p.set(filepath.Join(s.Root, "go.mod"), got.gomod)
		p.set(filepath.Join(s.Root, "go.sum"), got.gosum)
	}
	sums, err := s.pins(version, a.lock, more...)
	if err != nil {
		return nil, err
	}
	opts.Progress("making the fork of go-feature-flag %s", version)
	p.base, p.tree, err = opts.Build(ctx, version, sums)
	if errors.Is(err, modtree.ErrNoChecksum) && len(a.ours) > 0 {
		if sums, err = s.fromDatabase(ctx, version); err != nil {
			return nil, err
		}
		opts.Message("go.sum has no line of go-feature-flag %s, because it is replaced: the checksum database says what it must hash to", version)
		p.base, p.tree, err = opts.Build(ctx, version, sums)
	}
	if err != nil {
		return nil, err
	}
	if err := s.checkIgnored(ctx, p); err != nil {
		return nil, err
	}
	if err := s.planFiles(p); err != nil {
		return nil, err
	}
	if p.action, err = p.compare(); err != nil {
		return nil, err
	}
	if err := s.planVendor(p); err != nil {
		return nil, err
	}
	return p, s.describe(p, got, opts)
}

// version decides which version is forked: the one that the build selects, after `go get` if one was asked for.
func (s *Service) version(ctx context.Context, a *adoption, opts ApplyOptions) (string, *required, error) {
	_, missing := os.Stat(a.dir)
	if opts.To == "" && (missing == nil || len(a.ours) == 0) {
		sel, err := s.Selected(ctx)
		if err != nil {
			return "", nil, err
		}
		return sel.Version, nil, nil
	}
	// The line stays out of the way: it may point at a folder that is gone, or at a fork of the version before.
	c, err := s.scratch(a.dir)
	if err != nil {
		return "", nil, err
	}
	defer c.remove()
	sel, err := c.selected(ctx)
	if err != nil || opts.To == "" {
		if err == nil {
			return sel.Version, nil, nil
		}
		return "", nil, err
	}
	opts.Progress("go get %s@%s", modtree.UpstreamPath, opts.To)
	got, err := c.require(ctx, opts.To)
	if err != nil {
		return "", nil, err
	}
	if sel, err = c.selected(ctx); err != nil {
		return "", nil, err
	}
	return sel.Version, got, nil
}

// set plans a file's new content, unless it is what the file holds.
func (p *plan) set(file string, text []byte) {
	if old, err := readIfThere(file); err == nil && string(old) == string(text) {
		delete(p.texts, file)
		p.order = slices.DeleteFunc(p.order, func(planned string) bool { return planned == file })
		return
	}
	if _, planned := p.texts[file]; !planned {
		p.order = append(p.order, file)
	}
	p.texts[file] = text
}

// planFiles adds the line where it is missing.
func (s *Service) planFiles(p *plan) error {
	for _, file := range s.own() {
		text, planned := p.texts[file]
		if !planned {
			if slices.ContainsFunc(p.ours, func(r replacement) bool { return sameFile(r.File, file) }) {
				continue
			}
			var err error
			if text, err = readModFile(file); err != nil {
				return err
			}
		}
		target, err := relative(filepath.Dir(file), p.dir)
		if err != nil {
			return err
		}
		text = addReplace(text, target)
		found, err := replacementsIn(file, text)
		if err != nil {
			return err
		}
		if len(found) != 1 || found[0].Target != target {
			return fmt.Errorf("%s: the replace line did not become part of it", s.show(file))
		}
		p.set(file, text)
	}
	return nil
}

// compare tells what is to become of the folder.
func (p *plan) compare() (Action, error) {
	if _, err := os.Stat(p.dir); err != nil {
		return Written, nil
	}
	if p.lock == nil {
		return Written, nil
	}
	edited, err := modtree.Edited(p.dir, p.tree.Marker.Hash)
	if err != nil {
		return "", err
	}
	if len(edited) == 0 {
		return Kept, nil
	}
	return Rewritten, nil
}

func (s *Service) planVendor(p *plan) error {
	for _, v := range s.vendorings() {
		stale := p.action != Kept || len(p.texts) > 0
		if !stale {
			listed, err := vendorListed(v, p.dir)
			if err != nil {
				return err
			}
			why, err := vendorDiffers(v, p.dir)
			if err != nil {
				return err
			}
			stale = !listed || why != ""
		}
		if stale {
			p.vendor = append(p.vendor, v)
		}
	}
	return nil
}

// checkIgnored asks git about every file of the fork and its lock.
func (s *Service) checkIgnored(ctx context.Context, p *plan) error {
	rel, err := filepath.Rel(s.Home(), p.dir)
	if err != nil {
		return err
	}
	files := []string{modtree.LockPath(rel)}
	for _, path := range p.tree.Paths() {
		files = append(files, filepath.Join(rel, filepath.FromSlash(path)))
	}
	return checkIgnored(ctx, s.Home(), files)
}

func (s *Service) describe(p *plan, got *required, opts ApplyOptions) error {
	count, _ := p.tree.Files()
	p.applied = &Applied{
		Action: p.action, DryRun: opts.DryRun, Dir: s.show(p.dir), Lock: s.show(modtree.LockPath(p.dir)),
		Base: p.base.Version, Hash: p.tree.Marker.Hash, Patches: p.tree.Marker.Patches, Files: count,
		Edited: []string{}, Vendored: []string{}, Moved: []Moved{},
	}
	if p.lock != nil {
		p.applied.Was = p.lock.Base
	}
	if got != nil && got.moved != nil {
		p.applied.Moved = got.moved
	}
	for _, file := range p.order {
		p.applied.Edited = append(p.applied.Edited, s.show(file))
	}
	for _, v := range p.vendor {
		p.applied.Vendored = append(p.applied.Vendored, s.show(v.path()))
	}
	p.applied.Changed = p.action != Kept || len(p.order)+len(p.vendor) > 0
	notes, err := s.dockerNotes(p.dir)
	p.applied.Dockerfiles = notes
	return err
}

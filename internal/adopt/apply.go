package adopt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/offlock/offlock/internal/modtree"
)

// Builder makes the fork of a version. sums are what the service's go.sum records of it, and may be empty.
type Builder func(ctx context.Context, version string, sums modtree.Hashes) (*modtree.Base, *modtree.Tree, error)

// ApplyOptions are what a user may choose. Build is required; the zero value of the rest works.
type ApplyOptions struct {
	Dir           string   // of the fork; empty: where it is, or DefaultDir
	To            string   // require this version first; empty: stay with the one that is selected
	DryRun        bool     // write nothing
	Tool          string   // version of offlock, for the lock
	Only, Without []string // the selection that Build applies, for the lock
	Build         Builder
	Progress      func(format string, args ...any) // may be nil
}

// Action is what became of the fork folder.
type Action string

// The actions.
const (
	Written   Action = "written"
	Rewritten Action = "rewritten" // there was a fork of another base, or with other patches
	Kept      Action = "kept"      // it was right already
)

// Applied says what apply did, or would do in a dry run. Paths are as a user types them, relative to where the command
// runs.
type Applied struct {
	Action      Action       `json:"action"`
	DryRun      bool         `json:"dryRun"`
	Dir         string       `json:"dir"`
	Lock        string       `json:"lock"`
	Base        string       `json:"base"`
	Was         string       `json:"was,omitempty"` // base of the fork before
	Hash        string       `json:"hash"`
	Patches     []string     `json:"patches"`
	Files       int          `json:"files"`
	Edited      []string     `json:"edited"`      // files of the service that changed
	Vendored    []string     `json:"vendored"`    // vendor folders that were made anew
	Moved       []Moved      `json:"moved"`       // requirements that --to moved
	Dockerfiles []DockerNote `json:"dockerfiles"` // what Dockerfiles need now
	Changed     bool         `json:"changed"`     // anything at all
}

// Apply writes the fork and makes the service use it. Whatever fails, and if ctx ends, the service is as it was.
//
// Errors: [ErrNotRequired], [*ReplacedError], [*IgnoredError], [*GoError], those of package modtree (a folder that is not
// ours, edits in it), those of Build, and those of the disk.
func (s *Service) Apply(ctx context.Context, opts ApplyOptions) (*Applied, error) {
	if opts.Build == nil {
		return nil, errors.New("apply needs a Build function")
	}
	if opts.Progress == nil {
		opts.Progress = func(string, ...any) {}
	}
	p, err := s.plan(ctx, opts)
	if err != nil || opts.DryRun {
		return p.result(), err
	}
	lock, err := s.newLock(p, opts)
	if err != nil {
		return nil, err
	}
	if p.action == Kept && len(p.texts) == 0 && len(p.vendor) == 0 && sameLock(lock, p.lock) {
		return p.applied, nil
	}
	p.applied.Changed = true
	tx := &transaction{}
	if err := s.execute(ctx, tx, p, lock, opts); err != nil {
		return nil, tx.rollback(err)
	}
	if err := tx.commit(); err != nil {
		return nil, fmt.Errorf("the fork is in place and in use, but what it replaced could not be cleared away: %w", err)
	}
	return p.applied, nil
}

// execute does what was planned, each step with its way back.
func (s *Service) execute(ctx context.Context, tx *transaction, p *plan, lock *modtree.Lock, opts ApplyOptions) error {
	before := map[string][]byte{}
	for _, file := range s.watched() {
		text, err := readIfThere(file)
		if err != nil {
			return err
		}
		before[file] = text
	}
	if p.action != Kept {
		opts.Progress("writing %s", s.show(p.dir))
		swap, err := p.tree.Write(p.dir)
		if err != nil {
			return err
		}
		tx.undo = append(tx.undo, swap.Undo)
		if err := swap.Commit(); err != nil {
			return err
		}
		tx.done = append(tx.done, swap.Done)
	}
	for _, file := range p.order {
		if err := tx.write(file, p.texts[file]); err != nil {
			return err
		}
	}
	if err := s.revendor(ctx, tx, p.vendor, opts.Progress); err != nil {
		return err
	}
	if err := s.verify(ctx, p); err != nil {
		return err
	}
	path := modtree.LockPath(p.dir)
	for _, file := range s.watched() {
		text, err := readIfThere(file)
		if err != nil {
			return err
		}
		if string(text) == string(before[file]) {
			continue
		}
		rel, err := filepath.Rel(filepath.Dir(path), file)
		if err != nil {
			return err
		}
		lock.Edits = append(lock.Edits, edit(filepath.ToSlash(rel), before[file], text))
	}
	if err := tx.keep(path); err != nil {
		return err
	}
	if err := modtree.WriteLock(path, lock); err != nil {
		return err
	}
	return ctx.Err()
}

// watched are the files of the service that apply may change, by itself or through the go command.
func (s *Service) watched() []string {
	files := append(s.own(), filepath.Join(s.Root, "go.sum"))
	if s.Workspace != "" {
		files = append(files, filepath.Join(s.Home(), "go.work.sum"))
	}
	return files
}

// revendor makes the vendor folders anew. The go command may add to go.sum while it does, so that is kept first.
func (s *Service) revendor(ctx context.Context, tx *transaction, vendors []vendoring, progress func(string, ...any)) error {
	if len(vendors) == 0 {
		return nil
	}
	for _, file := range s.watched() {
		if err := tx.keep(file); err != nil {
			return err
		}
	}
	for _, v := range vendors {
		progress("%s", v.command())
		if err := tx.revendor(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// verify asks the go command whether builds use the fork now.
func (s *Service) verify(ctx context.Context, p *plan) error {
	sel, err := s.Selected(ctx)
	switch {
	case err != nil:
		return err
	case !sameFile(sel.Folder, p.dir):
		return fmt.Errorf("with the line in place the build still does not use %s: something outside of go.mod decides "+
			"(go list -m %s)", s.show(p.dir), modtree.UpstreamPath)
	case sel.Version != p.base.Version:
		return fmt.Errorf("the build selects go-feature-flag %s and not %s: another module of the build asks for it",
			sel.Version, p.base.Version)
	}
	return nil
}

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
	Message       func(format string, args ...any) // for what the user must know beside the result; may be nil
}

func orSilent(say func(string, ...any)) func(string, ...any) {
	if say == nil {
		return func(string, ...any) {}
	}
	return say
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

// Apply writes the fork and makes the service use it. Whatever fails, and if ctx ends, the service is as it was; if the
// program is killed, the next Apply or Revert undoes what was done by then, before anything else.
//
// Errors: [ErrNotRequired], [*ReplacedError], [*IgnoredError], [*GoError], those of package modtree (a folder that is not
// ours, edits in it), those of Build, and those of the disk.
func (s *Service) Apply(ctx context.Context, opts ApplyOptions) (*Applied, error) {
	if opts.Build == nil {
		return nil, errors.New("apply needs a Build function")
	}
	opts.Progress, opts.Message = orSilent(opts.Progress), orSilent(opts.Message)
	if err := s.mend(opts); err != nil {
		return nil, err
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
	tx, err := s.begin(p.dir, p.base.Version, s.watched())
	if err != nil {
		return nil, err
	}
	if err := s.execute(ctx, tx, p, lock, opts); err != nil {
		return nil, tx.rollback(err)
	}
	if err := tx.commit(); err != nil {
		return nil, err
	}
	s.tellWhatIsLeft(ctx, opts)
	return p.applied, nil
}

// tellWhatIsLeft warns of a service that cannot be built now: after a bump by hand, go.mod still has the requirements of
// the former go-feature-flag, and apply leaves them to go mod tidy.
func (s *Service) tellWhatIsLeft(ctx context.Context, opts ApplyOptions) {
	var failed *GoError
	if _, err := s.built(ctx); errors.As(err, &failed) && !failed.Network {
		opts.Message("warning: this service does not build as it is: %s", failed.Stderr)
	}
}

// mend undoes what an interrupted run left; a dry run only tells.
func (s *Service) mend(opts ApplyOptions) error {
	if at, found := s.interrupted(); found && opts.DryRun {
		return fmt.Errorf("an earlier run was interrupted and left %s: run this without --dry-run, or offlock revert, which undo it first", s.show(at))
	}
	u, err := s.undoInterrupted(s.named(opts.Dir))
	if err == nil && u != nil {
		opts.Message("%v", u)
	}
	return err
}

// execute does what was planned, each step with its way back.
func (s *Service) execute(ctx context.Context, tx *transaction, p *plan, lock *modtree.Lock, opts ApplyOptions) error {
	if p.action != Kept {
		opts.Progress("writing %s", s.show(p.dir))
		if err := tx.writeFork(p.tree, p.dir); err != nil {
			return err
		}
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
	if err := s.recordEdits(tx, p, lock); err != nil {
		return err
	}
	data, err := lock.Encode()
	if err != nil {
		return err
	}
	if err := tx.write(modtree.LockPath(p.dir), data); err != nil {
		return err
	}
	return ctx.Err()
}

// recordEdits adds to the lock what became of the service's files.
func (s *Service) recordEdits(tx *transaction, p *plan, lock *modtree.Lock) error {
	for _, file := range s.watched() {
		before, err := tx.before(file)
		if err != nil {
			return err
		}
		if p.lock == nil && isModFile(file) { // a line whose lock is lost was apply's too
			if before, err = dropReplace(file, before, p.dir); err != nil {
				return err
			}
		}
		text, err := readIfThere(file)
		if err != nil {
			return err
		}
		if string(text) == string(before) {
			continue
		}
		rel, err := filepath.Rel(filepath.Dir(p.dir), file)
		if err != nil {
			return err
		}
		lock.Edits = append(lock.Edits, edit(filepath.ToSlash(rel), before, text))
	}
	return nil
}

// watched are the files of the service that apply may change, by itself or through the go command.
func (s *Service) watched() []string {
	files := append(s.own(), filepath.Join(s.Root, "go.sum"))
	if s.Workspace != "" {
		files = append(files, filepath.Join(s.Home(), "go.work.sum"))
	}
	return files
}

// revendor makes the vendor folders anew. The go command may add to go.sum while it does.
func (s *Service) revendor(ctx context.Context, tx *transaction, vendors []vendoring, progress func(string, ...any)) error {
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

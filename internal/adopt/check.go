package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// Problem is one reason why a build does not use the fork that the lock describes.
type Problem struct {
	Kind string `json:"kind"` // one of the kinds below: a word for scripts
	Text string `json:"text"` // what is wrong and what to do
}

// The kinds of problems.
const (
	Interrupted   = "interrupted"    // a run of apply or revert left its work half done
	NotReplaced   = "not-replaced"   // the replace line is missing, or another one holds
	VersionMoved  = "version"        // the build selects another version than the fork's base
	FolderMissing = "folder-missing" // the fork is not there
	LockMissing   = "lock-missing"   // the lock is not there
	FolderEdited  = "edited"         // the folder is not what apply wrote
	PatchMissing  = "patch-missing"  // a patch that belongs in is not
	VendorStale   = "vendor"         // the vendor folder does not hold the fork
	BuildFails    = "build"          // the go command cannot load the service's packages as things are
	BinaryOther   = "binary"         // a binary carries no marker, or that of another fork
)

// Checked is what check found. No Problems: builds use the fork.
type Checked struct {
	Dir         string        `json:"dir"`
	Base        string        `json:"base,omitempty"`     // of the fork
	Selected    string        `json:"selected,omitempty"` // by the build
	Hash        string        `json:"hash,omitempty"`
	Patches     []string      `json:"patches"`
	Problems    []Problem     `json:"problems"`
	Unreached   []Unreached   `json:"unreached"`
	Dockerfiles []DockerNote  `json:"dockerfiles"`
	Warnings    []string      `json:"warnings"`
	Lock        *modtree.Lock `json:"-"` // nil: missing
}

// Add appends a problem.
func (c *Checked) Add(kind, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{kind, fmt.Sprintf(format, args...)})
}

// Check finds out whether builds in the service use the fork that the lock describes. It needs no sources of upstream,
// and no network where the service's dependencies are at hand. What is wrong is listed in the result; an error means that
// it could not be found out.
func (s *Service) Check(ctx context.Context, dir string) (*Checked, error) {
	a, err := s.adoption(dir)
	if err != nil {
		return nil, err
	}
	c := &Checked{
		Dir: s.show(a.dir), Lock: a.lock,
		Patches: []string{}, Problems: []Problem{}, Unreached: []Unreached{}, Dockerfiles: []DockerNote{}, Warnings: []string{},
	}
	lockPath := s.show(modtree.LockPath(a.dir))
	if a.lock != nil {
		c.Base, c.Hash = a.lock.Base, a.lock.Hash
		c.Patches = append(c.Patches, a.lock.Patches...)
	}
	if at, found := s.interrupted(); found {
		c.Add(Interrupted, "a run of offlock was interrupted, or is at work, and left %s: run offlock apply or offlock revert, which undo it first", s.show(at))
	}
	_, statErr := os.Stat(a.dir)
	switch {
	case statErr == nil && a.lock != nil:
		if err := checkFolder(a, c); err != nil {
			return nil, err
		}
	case statErr == nil:
		c.Add(LockMissing, "%s is missing, so nothing says what %s should be: commit it, or run offlock apply", lockPath, c.Dir)
	case errors.Is(statErr, fs.ErrNotExist) && (a.lock != nil || len(a.ours) > 0):
		c.Add(FolderMissing, "%s is missing: commit it (does git ignore it?), or run offlock apply", c.Dir)
	case !errors.Is(statErr, fs.ErrNotExist):
		return nil, statErr
	}
	if err := s.checkLines(ctx, a, c); err != nil && !c.explains(ctx, err) {
		return nil, err
	}
	if statErr != nil || len(a.ours) == 0 {
		return c, nil
	}
	if err := s.checkVendor(a, c); err != nil {
		return nil, err
	}
	if err := s.checkBuild(ctx, a, c); err != nil && !c.explains(ctx, err) {
		return nil, err
	}
	c.Dockerfiles, err = s.dockerNotes(a.dir)
	return c, err
}

// explains tells whether an edited folder may well be why a later look failed: a broken go.mod of the fork is an edit to
// be reported, not wrong input. The failure becomes a remark.
func (c *Checked) explains(ctx context.Context, err error) bool {
	edited := slices.ContainsFunc(c.Problems, func(p Problem) bool { return p.Kind == FolderEdited })
	if !edited || ctx.Err() != nil {
		return false
	}
	c.Warnings = append(c.Warnings, err.Error())
	return true
}

// checkLines looks for the line in each file that needs it, and asks the go command what the build selects.
func (s *Service) checkLines(ctx context.Context, a *adoption, c *Checked) error {
	for _, r := range a.foreign {
		c.Add(NotReplaced, "%s:%d replaces go-feature-flag by something else: %s", s.show(r.File), r.Line, r)
	}
	if a.elsewhere != "" {
		c.Add(NotReplaced, "the replace line points at %s, not at %s", s.show(a.elsewhere), c.Dir)
	}
	lines := 0
	for _, file := range s.own() {
		if slices.ContainsFunc(a.ours, func(r replacement) bool { return sameFile(r.File, file) }) {
			lines++
			continue
		}
		c.Add(NotReplaced, "%s has no replace line for the fork, so builds that read it use plain go-feature-flag: run offlock apply", s.show(file))
	}
	if _, err := os.Stat(a.dir); err != nil && lines > 0 {
		return nil // the go command could only say that the folder is missing
	}
	sel, err := s.Selected(ctx)
	if errors.Is(err, ErrNotRequired) && a.lock != nil {
		c.Add(VersionMoved, "go-feature-flag is no longer part of the build: run offlock revert")
		return nil
	}
	if err != nil {
		return err
	}
	c.Selected = sel.Version
	if a.lock != nil && sel.Version != a.lock.Base {
		c.Add(VersionMoved, "the build selects go-feature-flag %s, but the fork is made from %s: run offlock apply", sel.Version, a.lock.Base)
	}
	if lines > 0 && len(a.foreign) == 0 && !sameFile(sel.Folder, a.dir) {
		c.Add(NotReplaced, "the build does not use %s although the line is there: see go list -m %s", c.Dir, modtree.UpstreamPath)
	}
	return nil
}

// checkFolder compares the folder with its checksums, and the lock with what the folder says of itself.
func checkFolder(a *adoption, c *Checked) error {
	edited, err := modtree.Edited(a.dir, a.lock.Hash)
	if err != nil {
		return err
	}
	if len(edited) == 0 {
		return checkLock(a, c)
	}
	const shown = 5
	more := ""
	if len(edited) > shown {
		more = fmt.Sprintf(" and %d more", len(edited)-shown)
		edited = edited[:shown]
	}
	c.Add(FolderEdited, "%s is not what apply wrote: %s%s; put the files back, or move your edits away, delete the folder and run offlock apply",
		c.Dir, strings.Join(edited, ", "), more)
	return nil
}

// checkLock holds the lock against the marker of the intact folder: a lock that was merged or edited by hand must not
// vouch for patches that are not there.
func checkLock(a *adoption, c *Checked) error {
	marker, err := modtree.Inspect(a.dir)
	if err != nil {
		return err
	}
	if marker.Base != a.lock.Base || !slices.Equal(marker.Patches, a.lock.Patches) {
		c.Add(FolderEdited, "the lock file says that %s is the fork of %s with %s, but it is that of %s with %s: put the lock file back, or run offlock apply",
			c.Dir, a.lock.Base, named(a.lock.Patches), marker.Base, named(marker.Patches))
	}
	return nil
}

func named(patches []string) string {
	if len(patches) == 0 {
		return "no patch"
	}
	return strings.Join(patches, ", ")
}

func (s *Service) checkVendor(a *adoption, c *Checked) error {
	for _, v := range s.vendorings() {
		listed, err := vendorListed(v, a.dir)
		if err != nil {
			return err
		}
		why, err := vendorDiffers(v, a.dir)
		if err != nil {
			return err
		}
		if !listed {
			why = filepath.ToSlash(filepath.Join("vendor", "modules.txt")) + " does not name the fork"
		}
		if why != "" {
			c.Add(VendorStale, "%s does not hold the fork (%s), and builds read it: run %s", s.show(v.path()), why, v.command())
		}
	}
	return nil
}

// CheckBinary reads the marker of a built program and compares it with a lock; without a lock any marker is right.
// The marker is nil if there is none to believe.
func CheckBinary(path string, lock *modtree.Lock) (*modtree.Marker, *Problem, error) {
	m, err := modtree.ReadMarker(path)
	var damaged *modtree.MarkerError
	if errors.Is(err, modtree.ErrNoMarker) || errors.As(err, &damaged) {
		return nil, &Problem{BinaryOther, err.Error()}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if lock != nil && (m.Base != lock.Base || m.Hash != lock.Hash) {
		return &m, &Problem{BinaryOther, fmt.Sprintf("%s was built with the fork %s of %s, but this service has %s of %s: build it again",
			path, m.Hash, m.Base, lock.Hash, lock.Base)}, nil
	}
	return &m, nil, nil
}

package adopt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/internal/modtree"
)

// crashes runs something in dir and returns copies of it, each as a kill behind one of the steps leaves it. A copy is
// what a dead run leaves: nobody holds its journal.
func crashes(t *testing.T, dir string, run func()) []string {
	t.Helper()
	var images []string
	former := map[string]string{}
	atStep = func() {
		if now := snapshot(t, dir); !cmp.Equal(now, former) {
			former = now
			images = append(images, copyOf(t, dir))
		}
	}
	defer func() { atStep = func() {} }()
	run()
	if len(images) < 5 {
		t.Fatalf("only %d steps: the hook does not see them", len(images))
	}
	return images
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// mustRevert reverts what an image leaves to be reverted: nothing, if the killed run had not got that far.
func mustRevert(t *testing.T, dir string) {
	t.Helper()
	if _, err := open(t, dir).Revert(t.Context(), RevertOptions{}); err != nil && !errors.Is(err, ErrNotAdopted) {
		t.Fatalf("revert: %v", err)
	}
}

// Wherever a run is killed, the next apply goes through, and a revert gives back every byte.
func TestKilledAtEveryStep(t *testing.T) {
	old := strings.NewReplacer(newer, older, "NEWER", "OLDER")
	for _, tc := range []struct {
		name, archive, at string // at: folder of the module
		vendor            []string
		prepare, run      func(t *testing.T, dir string)
	}{
		{"first apply", small, ".", nil, nil, func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{}) }},
		{"first apply, vendored", small, ".", []string{"mod", "vendor"}, nil,
			func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{}) }},
		{"another version, vendored", old.Replace(small), ".", []string{"mod", "vendor"},
			func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{}) },
			func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{To: newer}) }},
		{"first apply in a vendored workspace", workspace, "a", []string{"work", "vendor"}, nil,
			func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{}) }},
		{"revert", old.Replace(small), ".", nil,
			func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{To: newer}) },
			func(t *testing.T, dir string) { revert(t, dir) }},
		{"revert in a vendored workspace", workspace, "a", []string{"work", "vendor"},
			func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{}) },
			func(t *testing.T, dir string) { revert(t, dir) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := service(t, tc.archive)
			if tc.vendor != nil {
				goRun(t, dir, tc.vendor...)
			}
			original := snapshot(t, dir)
			if tc.prepare != nil {
				tc.prepare(t, filepath.Join(dir, tc.at))
			}
			images := crashes(t, dir, func() { tc.run(t, filepath.Join(dir, tc.at)) })
			for i, image := range images {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					if len(journalOf(t, filepath.Join(image, tc.at)).Files) > 0 {
						write(t, "half a f", image, tc.at, ".go.mod.offlock-1234") // the step of a file that was not renamed yet
					}
					reverted := copyOf(t, image)
					mustRevert(t, filepath.Join(reverted, tc.at))
					if diff := cmp.Diff(original, snapshot(t, reverted)); diff != "" {
						t.Errorf("after revert (-want +got):\n%s", diff)
					}
					module := filepath.Join(image, tc.at)
					apply(t, module, ApplyOptions{})
					if got := problems(t, module); len(got) > 0 {
						t.Errorf("after apply, check finds %q", got)
					}
					if again := apply(t, module, ApplyOptions{}); again.Changed {
						t.Errorf("second apply %+v, want nothing to do", again)
					}
					revert(t, module)
					if diff := cmp.Diff(original, snapshot(t, image)); diff != "" {
						t.Errorf("after apply and revert (-want +got):\n%s", diff)
					}
				})
			}
		})
	}
}

// The run that mends may be killed as well.
func TestKilledWhileMending(t *testing.T) {
	dir := service(t, small)
	goRun(t, dir, "mod", "vendor")
	original := snapshot(t, dir)
	images := crashes(t, dir, func() { apply(t, dir, ApplyOptions{}) })
	undoes := 0
	for _, image := range images {
		if len(journalOf(t, image).Folders) < 2 {
			continue // fork and vendor folder are not yet on their way
		}
		undoes++
		for _, image := range crashes(t, image, func() { mustRevert(t, image) }) {
			mustRevert(t, image)
			if diff := cmp.Diff(original, snapshot(t, image)); diff != "" {
				t.Errorf("after the second revert (-want +got):\n%s", diff)
			}
		}
	}
	if undoes == 0 {
		t.Fatal("no image had much to undo")
	}
}

// journalOf reads the journal of an image and leaves it there; an empty one if there is none.
func journalOf(t *testing.T, dir string) record {
	t.Helper()
	if _, err := os.Stat(filepath.Join(journalIn(dir), journalFile)); err != nil {
		return record{}
	}
	j, err := openJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.held.Close()
	return j.record
}

// killedApply is a service whose first apply was killed with the line in go.mod, and before it was done.
func killedApply(t *testing.T) string {
	t.Helper()
	dir := service(t, small)
	for _, image := range crashes(t, dir, func() { apply(t, dir, ApplyOptions{}) }) {
		if strings.Contains(read(t, image, "go.mod"), line) {
			return image
		}
	}
	t.Fatal("no step had the line in go.mod")
	return ""
}

// What somebody changed after the kill stays.
func TestKilledThenEdited(t *testing.T) {
	const comment = "// mine\n"
	for _, tc := range []struct {
		name string
		next func(t *testing.T, dir string)
		line bool // is in go.mod at the end
	}{
		{"apply", func(t *testing.T, dir string) { apply(t, dir, ApplyOptions{}) }, true},
		{"revert", func(t *testing.T, dir string) { revert(t, dir) }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := killedApply(t)
			write(t, read(t, dir, "go.mod")+comment, dir, "go.mod")
			write(t, read(t, dir, "go.sum")+"example.com/mine v1.0.0/go.mod h1:"+strings.Repeat("A", 43)+"=\n", dir, "go.sum")
			gosum := read(t, dir, "go.sum")
			tc.next(t, dir)
			if got := read(t, dir, "go.mod"); !strings.Contains(got, comment) || strings.Contains(got, line) != tc.line {
				t.Errorf("go.mod is %q, want the comment, and the line: %v", got, tc.line)
			}
			if read(t, dir, "go.sum") != gosum {
				t.Error("go.sum of a service that somebody went on with was put back")
			}
			if tc.line {
				if got := problems(t, dir); len(got) > 0 {
					t.Errorf("check finds %q", got)
				}
			} else if _, err := os.Stat(filepath.Join(dir, "third_party")); err == nil {
				t.Error("the fork is still there")
			}
		})
	}
}

// Whoever brings in another lock brings in another state of the service: what the killed run did is past.
func TestKilledThenReplaced(t *testing.T) {
	dir := service(t, small)
	goRun(t, dir, "mod", "vendor")
	images := crashes(t, dir, func() { apply(t, dir, ApplyOptions{}) }) // dir: the state that is brought in
	brought := []string{"go.mod", DefaultDir + ".lock.json"}
	for _, image := range images {
		if !strings.Contains(read(t, image, "go.mod"), line) {
			continue
		}
		for _, name := range brought {
			write(t, read(t, dir, name)+"\n", image, name)
		}
		gomod := read(t, image, "go.mod")
		apply(t, image, ApplyOptions{})
		if read(t, image, "go.mod") != gomod {
			t.Error("go.mod was changed, though it has the line")
		}
		if got := problems(t, image); len(got) > 0 {
			t.Errorf("check finds %q", got)
		}
	}
}

func TestCheckNoticesAnInterruptedRun(t *testing.T) {
	dir := killedApply(t)
	if got := problems(t, dir); len(got) == 0 || got[0] != Interrupted {
		t.Errorf("problems %q, want %q first", got, Interrupted)
	}
	before := snapshot(t, dir)
	if _, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build, DryRun: true}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("dry run: %v, want a refusal that says why", err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("looking changed (-want +got):\n%s", diff)
	}
}

// A journal may come with a checkout: it must not reach what is not the service's, nor be believed while its run lives.
func TestJournalIsNotTrusted(t *testing.T) {
	for _, tc := range []struct {
		name    string
		journal func(dir string) string
	}{
		{"another file", func(string) string {
			return `{"fork":"third_party/go-feature-flag","files":[{"file":"../victim","was":"x","before":"aGk="}]}`
		}},
		{"another folder", func(string) string {
			return `{"fork":"third_party/go-feature-flag","folders":[{"folder":"../victim.d","vendor":true}]}`
		}},
		{"a fork elsewhere", func(string) string {
			return `{"fork":"../victim.d","done":true,"folders":[{"folder":"../victim.d"}]}`
		}},
		{"a fork behind a link", func(dir string) string {
			if err := os.Symlink(filepath.Dir(dir), filepath.Join(dir, "link")); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
			return `{"fork":"link/victim.d","folders":[{"folder":"link/victim.d"}]}`
		}},
		{"a go.sum that never was one", func(string) string {
			return `{"fork":"third_party/go-feature-flag","files":[{"file":"go.sum","was":"x","before":"cm0gLXJmIC8="}]}`
		}},
		{"a field of another version", func(string) string { return `{"fork":"f","more":1}` }},
		{"no JSON", func(string) string { return `rm -rf` }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(service(t, "-- victim --\nkeep\n-- victim.d/file --\nkeep\n"+strings.ReplaceAll(small, "-- ", "-- svc/")), "svc")
			if err := os.MkdirAll(journalIn(dir), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, "", journalIn(dir), journalNote)
			write(t, tc.journal(dir), journalIn(dir), journalFile)
			before := snapshot(t, filepath.Dir(dir))
			if _, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build}); err == nil || !strings.Contains(err.Error(), journalFile) {
				t.Errorf("apply: %v, want an error that names %s", err, journalFile)
			}
			if _, err := open(t, dir).Revert(t.Context(), RevertOptions{}); err == nil || !strings.Contains(err.Error(), journalFile) {
				t.Errorf("revert: %v, want an error that names %s", err, journalFile)
			}
			if diff := cmp.Diff(before, snapshot(t, filepath.Dir(dir))); diff != "" {
				t.Errorf("something was touched (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTwoRunsAtOnce(t *testing.T) {
	dir := service(t, small)
	s := open(t, dir)
	tx, err := s.begin(filepath.Join(dir, DefaultDir), newer, s.watched())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build}); err == nil || !strings.Contains(err.Error(), "another offlock is at work") {
		t.Errorf("apply beside another: %v, want a refusal", err)
	}
	if err := tx.commit(); err != nil {
		t.Fatal(err)
	}
	apply(t, dir, ApplyOptions{})
}

// A folder of that name that is not ours is left alone.
func TestForeignJournalFolder(t *testing.T) {
	dir := service(t, small+"-- "+journalFolder+"/notes.txt --\nmine\n")
	before := snapshot(t, dir)
	if _, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build}); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("apply: %v, want a refusal", err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("something was touched (-want +got):\n%s", diff)
	}
}

// A fork folder whose lock is lost is taken up again, and can be reverted without.
func TestLockIsLost(t *testing.T) {
	dir := service(t, small)
	original := snapshot(t, dir)
	apply(t, dir, ApplyOptions{})
	if err := os.Remove(modtree.LockPath(filepath.Join(dir, DefaultDir))); err != nil {
		t.Fatal(err)
	}
	without := copyOf(t, dir)
	if diff := cmp.Diff([]string{LockMissing}, problems(t, dir)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	apply(t, dir, ApplyOptions{})
	if got := problems(t, dir); len(got) > 0 {
		t.Errorf("check finds %q", got)
	}
	for _, dir := range []string{dir, without} {
		revert(t, dir)
		if diff := cmp.Diff(original, snapshot(t, dir)); diff != "" {
			t.Errorf("after revert (-want +got):\n%s", diff)
		}
	}
}

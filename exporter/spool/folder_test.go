package spool

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A lock that others do not see is none.
func TestLockThatWasRemoved(t *testing.T) {
	f := &folder{path: filepath.Join(t.TempDir(), "spool-0123456789abcdef")}
	if taken, err := f.tryLock(); !taken || err != nil || !f.current() {
		t.Fatalf("%v, %v, current %v", taken, err, f.current())
	}
	if err := os.Remove(f.lock.Path()); err != nil {
		t.Skip(err) // Windows keeps what is open
	}
	if f.current() {
		t.Error("the lock is gone, and counts")
	}
	other := &folder{path: f.path}
	if taken, err := other.tryLock(); !taken || err != nil || f.current() || !other.current() {
		t.Errorf("%v, %v, current %v and %v", taken, err, f.current(), other.current())
	}
	_, _ = f.unlock(), other.unlock()
}

// However folders are claimed, taken over and given up, none has two owners, and none is left at the end.
func TestFoldersConcurrentSafe(t *testing.T) {
	dir, rounds := t.TempDir(), 300
	var mu sync.Mutex // guards owners
	owners := map[string]bool{}
	own := func(f *folder) {
		mu.Lock()
		defer mu.Unlock()
		if owners[f.path] {
			t.Errorf("%s has two owners", f.path)
		}
		owners[f.path] = true
	}
	leave := func(f *folder, end func()) {
		mu.Lock()
		delete(owners, f.path)
		mu.Unlock()
		end()
	}
	takeAll := func() {
		names, err := folders(osDisk{}, dir)
		if err != nil {
			t.Error(err)
		}
		for _, name := range names {
			f, _, err := takeover(osDisk{}, dir, name)
			if err != nil {
				t.Error(err)
			}
			if f != nil {
				own(f)
				leave(f, func() { f.release(osDisk{}) })
			}
		}
	}
	var all sync.WaitGroup
	for lane := range 6 {
		all.Go(func() {
			for i := range rounds {
				if lane >= 3 {
					takeAll()
					continue
				}
				f, err := claim(osDisk{}, dir)
				if err != nil {
					t.Error(err)
					continue
				}
				own(f)
				if i%2 == 0 {
					leave(f, func() { _ = f.unlock() }) // for another one
				} else {
					leave(f, func() { f.release(osDisk{}) })
				}
			}
		})
	}
	all.Wait()
	takeAll()
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// faultyDisk fails at the operations that the test chooses, before they are done or, for a write, in the middle.
type faultyDisk struct {
	disk
	mu   sync.Mutex // guards fail
	fail func(operation, name string) error
}

func (d *faultyDisk) set(fail func(operation, name string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
}

func (d *faultyDisk) check(operation, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		return nil
	}
	return d.fail(operation, name)
}

func (d *faultyDisk) Write(name string, data []byte, sync bool) error {
	if err := d.check("write", name); err != nil {
		return errors.Join(err, d.disk.Write(name, data[:len(data)/2], sync))
	}
	return d.disk.Write(name, data, sync)
}

func (d *faultyDisk) Mkdir(name string) error {
	return errors.Join(d.check("mkdir", name), d.disk.Mkdir(name))
}

func (d *faultyDisk) MkdirAll(name string) error {
	if err := d.check("mkdir", name); err != nil {
		return err
	}
	return d.disk.MkdirAll(name)
}

func (d *faultyDisk) Rename(from, to string) error {
	if err := d.check("rename", from); err != nil {
		return err
	}
	return d.disk.Rename(from, to)
}

func (d *faultyDisk) Remove(name string) error {
	if err := d.check("remove", name); err != nil {
		return err
	}
	return d.disk.Remove(name)
}

func (d *faultyDisk) SyncDir(name string) error {
	if err := d.check("syncdir", name); err != nil {
		return err
	}
	return d.disk.SyncDir(name)
}

func (d *faultyDisk) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.check("readdir", name); err != nil {
		return nil, err
	}
	return d.disk.ReadDir(name)
}

func (d *faultyDisk) Open(name string) (fs.File, error) {
	if err := d.check("open", name); err != nil {
		return nil, err
	}
	return d.disk.Open(name)
}

// failing is a fault of one operation on batches.
func failing(operation string, err error) func(string, string) error {
	return func(done, name string) error {
		if done == operation && (strings.Contains(name, extension) || operation == "syncdir") {
			return err
		}
		return nil
	}
}

// A disk that does not take a batch is told to the caller, who keeps it; what was acknowledged before is sent all the same, once.
func TestDiskThatDoesNotWrite(t *testing.T) {
	for name, fault := range map[string]func(string, string) error{
		"full":      failing("write", syscall.ENOSPC),
		"no rename": failing("rename", fs.ErrPermission),
		"no sync":   failing("syncdir", syscall.EIO),
		"read-only": func(operation, _ string) error {
			return map[bool]error{true: syscall.EROFS}[operation != "open" && operation != "readdir"]
		},
		"full at the end": func(operation, name string) error {
			return map[bool]error{true: syscall.EDQUOT}[operation == "write" || operation == "remove" && strings.HasSuffix(name, unfinished)]
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink, d := &fakeSink{do: down}, &faultyDisk{disk: osDisk{}}
				s := open(t, sink, Options{After: -1}, d)
				s.options.NoSync = false
				if err := export(s, 1); err != nil {
					t.Fatal(err)
				}
				d.set(fault)
				for range 3 {
					if err := export(s, 2); err == nil || !strings.Contains(err.Error(), "was not written to") {
						t.Fatalf("%v, want the disk's reason", err)
					}
				}
				if now := s.Stats(); now.Files != 1 || now.Spooled != 1 {
					t.Errorf("%+v", now)
				}
				sink.set(nil)
				time.Sleep(time.Hour)
				// Nothing waits any more, so the sink gets the batch itself, whatever the disk is like.
				if err := export(s, 2); err != nil {
					t.Error(err)
				}
				d.set(nil)
				time.Sleep(time.Hour)
				if diff := cmp.Diff([]int64{1, 2}, sink.tookFirsts()); diff != "" {
					t.Error(diff)
				}
				stop(t, s)
				next := &fakeSink{}
				s2 := open(t, next, Options{Dir: s.options.Dir})
				s2.Start()
				synctest.Wait()
				if took := next.tookFirsts(); len(took) > 0 {
					t.Errorf("the next process sent %v again", took)
				}
			})
		})
	}
}

// A sent batch that cannot be removed is not sent again by this process, and holds nothing up.
func TestDiskThatDoesNotRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink, d := &fakeSink{do: down}, &faultyDisk{disk: osDisk{}}
		s := open(t, sink, Options{After: -1}, d)
		for i := range int64(3) {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
		d.set(failing("remove", fs.ErrPermission))
		sink.set(nil)
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]int64{0, 1, 2}, sink.tookFirsts()); diff != "" {
			t.Error(diff)
		}
		d.set(nil)
		time.Sleep(time.Hour)
		stop(t, s)
		if left := tree(t, s.options.Dir); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	})
}

// A file that cannot be read is tried some times, for the disk may be ill for a moment, and then set aside.
func TestDiskThatDoesNotRead(t *testing.T) {
	for name, test := range map[string]struct {
		faults int
		sent   []int64
	}{"for a moment": {maxUnreadable - 1, []int64{0, 1, 2}}, "for good": {maxUnreadable, []int64{1, 2}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink, d := &fakeSink{do: down}, &faultyDisk{disk: osDisk{}}
				s := open(t, sink, Options{After: -1, BackoffBase: time.Minute, Rand: func() float64 { return 0.5 }}, d)
				for i := range int64(3) {
					if err := export(s, i); err != nil {
						t.Fatal(err)
					}
				}
				faults := 0
				d.set(func(operation, _ string) error {
					if operation == "open" && faults < test.faults {
						faults++
						return syscall.EIO
					}
					return nil
				})
				sink.set(nil)
				time.Sleep(time.Hour)
				if diff := cmp.Diff(test.sent, sink.tookFirsts()); diff != "" || int(s.Stats().SetAside) != 3-len(test.sent) {
					t.Errorf("%s, %+v", diff, s.Stats())
				}
			})
		})
	}
}

// The folder is removed while the spool is at work, and comes back: batches are refused meanwhile, those that were in it are counted.
func TestFolderRemoved(t *testing.T) {
	for name, what := range map[string]string{"all": "", "the spool's own": "spool-*"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &fakeSink{do: down}
				s := open(t, sink, Options{After: -1, BackoffBase: time.Minute})
				if err := export(s, 1); err != nil {
					t.Fatal(err)
				}
				gone, _ := filepath.Glob(filepath.Join(s.options.Dir, what))
				for _, path := range gone {
					if err := os.RemoveAll(path); err != nil {
						t.Skip(err) // Windows keeps what is open
					}
				}
				err := export(s, 2)
				if (err != nil) != (what == "") {
					t.Errorf("Export returned %v", err)
				}
				if err != nil {
					if !errors.Is(err, fs.ErrNotExist) {
						t.Error(err)
					}
					if err := os.Mkdir(s.options.Dir, 0o700); err != nil {
						t.Fatal(err)
					}
					if err := export(s, 2); err != nil {
						t.Error(err)
					}
				}
				sink.set(nil)
				time.Sleep(time.Hour)
				if now := s.Stats(); now.Missing != 1 || now.Sent != 1 || len(sink.tookFirsts()) != 1 {
					t.Errorf("%v, %+v", sink.tookFirsts(), now)
				}
			})
		})
	}
}

// What fsync is promised for: the content before the name, the name before the answer, the folder before what is in it.
func TestOrderOnDisk(t *testing.T) {
	for _, sync := range []bool{true, false} {
		var steps []string
		d := &recordingDisk{disk: osDisk{}, steps: &steps}
		s, err := newSpool(&fakeSink{do: down}, Options{Dir: filepath.Join(t.TempDir(), "spool"), After: -1, NoSync: !sync, BackoffBase: time.Hour}, d, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		steps = nil
		for i := range int64(2) {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
			steps = append(steps, "acknowledged")
		}
		want := []string{"mkdir", "write", "rename", "acknowledged", "write", "rename", "acknowledged"}
		if sync {
			want = []string{"mkdir", "sync all", "write sync", "rename", "sync own", "acknowledged", "write sync", "rename", "sync own", "acknowledged"}
		}
		if diff := cmp.Diff(want, steps); diff != "" {
			t.Errorf("sync %v: %s", sync, diff)
		}
		stop(t, s)
	}
}

// recordingDisk notes the steps of Export, which makes no two of them at a time.
type recordingDisk struct {
	disk
	steps *[]string
}

func (d *recordingDisk) note(step string) { *d.steps = append(*d.steps, step) }

func (d *recordingDisk) Mkdir(name string) error {
	d.note("mkdir")
	return d.disk.Mkdir(name)
}

func (d *recordingDisk) Write(name string, data []byte, sync bool) error {
	d.note(map[bool]string{true: "write sync", false: "write"}[sync])
	return d.disk.Write(name, data, sync)
}

func (d *recordingDisk) Rename(from, to string) error {
	d.note("rename")
	return d.disk.Rename(from, to)
}

func (d *recordingDisk) SyncDir(name string) error {
	d.note(map[bool]string{true: "sync own", false: "sync all"}[isFolderName(filepath.Base(name))])
	return d.disk.SyncDir(name)
}

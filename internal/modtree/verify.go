package modtree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/dirhash"
)

// ErrNoChecksum says that nothing is known that a version could be verified with.
var ErrNoChecksum = errors.New("no checksum is recorded for this version, nor is there a line of it in go.sum: " +
	"it cannot be verified and is not used; `go mod download` in the service's module adds the line, and where the module " +
	"is replaced already, `offlock apply --to VERSION` does")

// ChecksumError says that a module in the cache, or what the proxy served, is not what it should be.
type ChecksumError struct {
	Version  string
	What     string // "the zip", "the folder", "go.mod", "the folder's go.mod", "what the go command noted"
	Path     string // the file or folder
	Got      string // its hash, or why it has none
	Expected string
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("checksum mismatch, do not use %s@%s: %s (%s) has %s, expected %s; nothing of it was used; "+
		"empty the module cache with `go clean -modcache` and run this again; if it stays so, the proxy serves "+
		"something else than what was recorded", UpstreamPath, e.Version, e.What, e.Path, e.Got, e.Expected)
}

// verify recomputes the hashes of zip, folder and go.mod. Each must be the wanted one or, where none is wanted, the one
// that the go command reports; its report alone proves nothing, because it comes from a note beside the zip.
func (d *download) verify(want Hashes) (Hashes, error) {
	if want.Sum == "" {
		want.Sum = d.Sum
	}
	if want.GoModSum == "" {
		want.GoModSum = d.GoModSum
	}
	folderMod := filepath.Join(d.Dir, "go.mod")
	for _, c := range []struct {
		what, path string
		hash       func() (string, error)
		expected   string
	}{
		{"the zip", d.Zip, func() (string, error) { return dirhash.HashZip(d.Zip, hash1) }, want.Sum},
		{"the folder", d.Dir, func() (string, error) {
			return dirhash.HashDir(d.Dir, UpstreamPath+"@"+d.Version, hash1)
		}, want.Sum},
		{"go.mod", d.GoMod, func() (string, error) { return hashGoMod(d.GoMod) }, want.GoModSum},
		{"the folder's go.mod", folderMod, func() (string, error) { return hashGoMod(folderMod) }, want.GoModSum},
		{"what the go command noted", d.Zip + "hash", known(d.Sum), want.Sum},
		{"what the go command noted of go.mod", d.GoMod, known(d.GoModSum), want.GoModSum},
	} {
		got, err := c.hash()
		if err != nil { // a zip or folder that cannot be read through is not the recorded one either
			got = "no hash (" + err.Error() + ")"
		}
		if got != c.expected {
			return Hashes{}, &ChecksumError{d.Version, c.what, c.path, got, c.expected}
		}
	}
	return want, nil
}

func known(hash string) func() (string, error) {
	return func() (string, error) { return hash, nil }
}

// hashGoMod is the hash that go.sum's "/go.mod" lines hold.
func hashGoMod(path string) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(path) })
}

// hash1 is [dirhash.Hash1] with one buffer for all files: upstream has ten thousand of them, most smaller than the buffer
// that io.Copy would make for each, and a third of the time would go into those.
func hash1(files []string, open func(string) (io.ReadCloser, error)) (string, error) {
	buffer := make([]byte, 32<<10)
	return dirhash.Hash1(files, func(name string) (io.ReadCloser, error) {
		file, err := open(name)
		if err != nil {
			return nil, err
		}
		return buffered{file, buffer}, nil
	})
}

// buffered is a file that io.Copy reads through the given buffer.
type buffered struct {
	io.ReadCloser
	buffer []byte
}

func (b buffered) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(w, struct{ io.Reader }{b.ReadCloser}, b.buffer) // nothing but Read: a file's own WriteTo has its own buffer
}

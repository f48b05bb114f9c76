package modtreetest

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"
)

// memoryFile is a file of a zip, and its own description.
type memoryFile struct {
	path    string
	content []byte
}

func (f memoryFile) Path() string                { return f.path }
func (f memoryFile) Lstat() (fs.FileInfo, error) { return f, nil }
func (f memoryFile) Open() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(f.content)), nil
}
func (f memoryFile) Name() string       { return path.Base(f.path) }
func (f memoryFile) Size() int64        { return int64(len(f.content)) }
func (f memoryFile) Mode() fs.FileMode  { return 0o644 }
func (f memoryFile) ModTime() time.Time { return time.Time{} }
func (f memoryFile) IsDir() bool        { return false }
func (f memoryFile) Sys() any           { return nil }

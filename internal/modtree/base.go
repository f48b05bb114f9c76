package modtree

import (
	"io/fs"
	"os"
)

// UpstreamPath is the module that the fork replaces.
const UpstreamPath = "github.com/thomaspoignant/go-feature-flag"

// Hashes pin a module: what go.sum records of it.
type Hashes struct {
	Sum      string // of the zip, "h1:…"
	GoModSum string // of go.mod, "h1:…"; may be empty when unknown
}

// Base is a verified upstream release in the module cache (read-only).
type Base struct {
	Version string // "v1.55.2"
	Dir     string // its folder in the module cache
	Hashes         // recomputed from what lies in Dir
	Commit  string // of the tag, as recorded; empty if nothing is. No hash covers it
}

// FS opens the tree of the base. Its files must not be written to: other builds on this machine use them.
func (b *Base) FS() fs.FS { return os.DirFS(b.Dir) }

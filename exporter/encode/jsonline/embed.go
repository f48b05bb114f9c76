package jsonline

import "embed"

// Sources holds the Go files of this package, its tests included, for tools that copy it into another module, as package patches
// does into the fork. A program that does not use Sources does not carry them: the linker leaves them out.
//
// The copy stands without this file, which only the original needs.
//
//go:embed *.go
var Sources embed.FS

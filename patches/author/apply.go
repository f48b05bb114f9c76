package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

func apply(ctx context.Context, args []string, stdout io.Writer) error {
	set := flag.NewFlagSet("apply", flag.ContinueOnError)
	var t target
	t.flags(set)
	dst := set.String("dst", "", "`folder` to write the patched tree to; a former one is replaced")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return useError("unexpected argument " + set.Arg(0))
	}
	if err := t.open(ctx); err != nil {
		return err
	}
	result, err := t.apply()
	if err != nil {
		return err
	}
	for _, r := range result.Reports {
		fmt.Fprintf(stdout, "%-17s %s", r.State, r.Patch.Name)
		if !r.State.Applies() {
			fmt.Fprintf(stdout, " (%s)", r.Reason)
		}
		fmt.Fprintln(stdout)
		for _, c := range r.Changes {
			fmt.Fprintf(stdout, "    %s\n", c.Path)
		}
	}
	if *dst == "" {
		return nil
	}
	return write(t.tree, result.Files, *dst)
}

// stamp marks a folder that apply wrote, so that it replaces no other.
const stamp = ".offlock-author"

// bulk is what neither builds nor tests of upstream need, and most of its size.
var bulk = []string{"website", "examples", "openfeature"}

// write puts the tree and the changes into dst.
func write(tree fs.FS, changes map[string][]byte, dst string) error {
	if entries, err := os.ReadDir(dst); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dst, stamp)); err != nil {
			return fmt.Errorf("%s is not empty and was not written by this command; choose another folder", dst)
		}
		if err := os.RemoveAll(dst); err != nil {
			return err
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := put(dst, stamp, nil); err != nil {
		return err
	}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(bulk, name) {
				return fs.SkipDir
			}
			return nil
		}
		if _, changed := changes[name]; changed || !d.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return put(dst, name, text)
	})
	if err != nil {
		return err
	}
	for name, text := range changes {
		if text == nil { // deleted
			continue
		}
		if err := put(dst, name, text); err != nil {
			return err
		}
	}
	return nil
}

func put(dst, name string, text []byte) error {
	file := filepath.Join(dst, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/offlock/offlock/patches"
)

func fingerprint(ctx context.Context, args []string, stdout io.Writer) error {
	set := flag.NewFlagSet("fingerprint", flag.ContinueOnError)
	var t target
	t.flags(set)
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() < 1 || set.NArg() > 2 {
		return useError("name a file of upstream, such as exporter/manager.go, and at most one declaration")
	}
	if err := t.open(ctx); err != nil {
		return err
	}
	text, err := t.patched(set.Arg(0))
	if err != nil {
		return err
	}
	list, err := patches.List(set.Arg(0), text)
	if err != nil {
		return err
	}
	found := false
	for _, d := range list {
		if set.NArg() == 2 && d.Name != set.Arg(1) {
			continue
		}
		found = true
		fmt.Fprintf(stdout, "%s  %s  line %d\n", d.Fingerprint, d.Address, d.Line)
		for _, st := range d.Statements {
			fmt.Fprintf(stdout, "  %-15s %4d  %s%s\n", st.Fingerprint, st.Line, strings.Repeat("    ", st.Depth), st.Text)
		}
	}
	if !found {
		return fmt.Errorf("%s declares no %s", set.Arg(0), set.Arg(1))
	}
	return nil
}

// patched reads a file, with the patches applied if the flags ask for some.
func (t *target) patched(name string) ([]byte, error) {
	if t.upto != "" || t.only != "" {
		result, err := t.apply()
		if err != nil {
			return nil, err
		}
		if text, ok := result.Files[name]; ok {
			return text, nil
		}
	}
	return fs.ReadFile(t.tree, name)
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

func record(ctx context.Context, args []string, stdout io.Writer) error {
	set := flag.NewFlagSet("record", flag.ContinueOnError)
	dir := set.String("bases", filepath.Join("patches", "bases"), "`folder` to write to")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() == 0 {
		return useError("name the releases, such as v1.55.2")
	}
	series, err := patches.Embedded()
	if err != nil {
		return err
	}
	for _, version := range set.Args() {
		text, err := recordOne(ctx, series, version)
		if err != nil {
			return fmt.Errorf("recording %s: %w", version, err)
		}
		file := filepath.Join(*dir, version+".json")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
		fmt.Fprintln(stdout, file)
	}
	return nil
}

// recordOne returns the content of a base file.
func recordOne(ctx context.Context, series *patches.Series, version string) ([]byte, error) {
	upstream, err := modtree.FetchUnpinned(ctx, version)
	if err != nil {
		return nil, err
	}
	b, err := series.Record(version, upstream.FS())
	if err != nil {
		return nil, err
	}
	b.Sum, b.GoModSum, b.Commit = upstream.Sum, upstream.GoModSum, upstream.Commit
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(b)
	return text.Bytes(), err
}

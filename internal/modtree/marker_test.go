package modtree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var exampleMarker = Marker{Base: "v1.55.2", Patches: []string{"0001-first", "0002-second"}, Hash: "h1:3q2+7w=="}

// buildProgram builds a stripped program of its own module that has package exporter, with the marker or without.
func buildProgram(t *testing.T, marked bool, goos, goarch string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := exampleMarker.source()
	if err != nil {
		t.Fatal(err)
	}
	if !marked {
		source = []byte("package exporter\n")
	}
	for name, content := range map[string]string{
		"go.mod":                     "module example.com/program\n\ngo 1.21\n",
		"main.go":                    "package main\n\nimport _ \"example.com/program/exporter\"\n\nfunc main() {}\n",
		"exporter/offlock_marker.go": string(source),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", "program", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "program")
}

func TestReadMarkerOfPrograms(t *testing.T) {
	for _, goos := range []string{"linux", "windows", "darwin"} {
		t.Run(goos, func(t *testing.T) {
			got, err := ReadMarker(buildProgram(t, true, goos, "amd64"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(exampleMarker, got); diff != "" {
				t.Errorf("marker (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("without", func(t *testing.T) {
		if m, err := ReadMarker(buildProgram(t, false, "linux", "amd64")); !errors.Is(err, ErrNoMarker) {
			t.Errorf("ReadMarker = %v, %v; want ErrNoMarker", m, err)
		}
	})
}

// A program that has this package linked in, as offlock itself has, does not look like one that was built with a fork.
func TestToolCarriesNoMarker(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if m, err := ReadMarker(self); !errors.Is(err, ErrNoMarker) {
		t.Errorf("ReadMarker of this program = %v, %v; want ErrNoMarker", m, err)
	}
}

func TestReadMarker(t *testing.T) {
	text := func(m Marker) string {
		text, err := m.text()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	whole := text(exampleMarker)
	long := Marker{Base: "v1.52.1", Hash: "h1:x"}
	for i := range 200 {
		long.Patches = append(long.Patches, fmt.Sprintf("%04d-a-patch-with-a-name", i))
	}
	other := exampleMarker
	other.Base = "v1.52.1"
	pad := func(n int) string { return strings.Repeat("\x00", n) }
	const window = 1 << 20
	for _, tt := range []struct {
		name    string
		content string
		want    Marker
		err     string // words of a MarkerError; "none" for ErrNoMarker
	}{
		{name: "alone", content: whole, want: exampleMarker},
		{name: "several, identical", content: whole + "\x00" + whole + pad(window) + whole, want: exampleMarker},
		{name: "long", content: pad(10) + text(long), want: long},
		{name: "across the end of the window", content: pad(window-len(whole)/2) + whole + pad(2*window), want: exampleMarker},
		{name: "the mark across the end of the window", content: pad(window-3) + whole + pad(10), want: exampleMarker},
		{name: "exactly at the end of the window", content: pad(window-len(whole)) + whole, want: exampleMarker},
		{name: "empty", err: "none"},
		{name: "other content", content: pad(3 * window), err: "none"},
		{name: "half a mark at the end", content: pad(window) + markerMark[:5], err: "none"},
		{name: "two that differ", content: whole + text(other), err: "an earlier one"},
		{name: "truncated", content: whole[:len(whole)-5], err: "end"},
		{name: "truncated in the JSON", content: whole[:len(markerMark)+10], err: "JSON"},
		{name: "the mark alone", content: markerMark, err: "JSON"},
		{name: "forged base", content: strings.Replace(whole, "v1.55.2", "v1.55.3", 1), err: "checksum"},
		{name: "forged with another field", content: strings.Replace(whole, `"hash"`, `"mash"`, 1), err: "JSON"},
		{name: "whole but senseless", content: markerMark + "{}" + markerSum([]byte("{}")) + markerEnd, err: "base"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "binary")
			if err := os.WriteFile(path, []byte(tt.content), 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := ReadMarker(path)
			var damaged *MarkerError
			switch {
			case tt.err == "none":
				if !errors.Is(err, ErrNoMarker) {
					t.Errorf("error %v, want ErrNoMarker", err)
				}
			case tt.err != "":
				if !errors.As(err, &damaged) || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want a MarkerError with %q", err, tt.err)
				} else if !bytes.HasPrefix([]byte(tt.content)[damaged.Offset:], []byte(markerMark)) {
					t.Errorf("offset %d is not that of a marker", damaged.Offset)
				}
			default:
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("marker (-want +got):\n%s", diff)
				}
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		if _, err := ReadMarker(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v, want os.ErrNotExist", err)
		}
	})
}

func TestMarkerText(t *testing.T) {
	for name, m := range map[string]Marker{
		"no base":   {Hash: "h1:x"},
		"no hash":   {Base: "v1.0.0"},
		"too long":  {Base: "v1.0.0", Hash: "h1:x", Patches: []string{strings.Repeat("n", maxMarker)}},
		"backquote": {Base: "v1.0.0", Hash: "h1:x", Patches: []string{"`"}},
	} {
		if text, err := m.text(); err == nil {
			t.Errorf("%s: no error, but %s", name, text)
		}
	}
}

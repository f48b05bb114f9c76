package rules

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentedPaths follows every relative link of the documentation.
func TestDocumentedPaths(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	for _, page := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
			target := found[1]
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, target)
			}
		}
	}
}

// TestDocumentedCommands checks each line of each `sh` block: subcommands and flags of offlock against the program
// itself, make targets against the Makefile, packages against the module. A kind of line that it does not know fails,
// so that no command stands in the documentation unchecked.
func TestDocumentedCommands(t *testing.T) {
	offlock := filepath.Join(t.TempDir(), "offlock")
	if out, err := exec.Command("go", "build", "-o", offlock, module+"/cmd/offlock").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	checked := 0
	for _, page := range pages(t) {
		for _, line := range shellLines(read(t, page)) {
			checked++
			if reason := checkCommand(t, offlock, workFolder(page), line); reason != "" {
				t.Errorf("%s: `%s`: %s", page, line, reason)
			}
		}
	}
	if checked == 0 {
		t.Fatal("no command found in the documentation")
	}
	for _, wrong := range []string{
		"offlock nosuch", "offlock apply --nosuch", "make nosuch", "go test ./nosuch", "go -C nosuch test .", "nosuch", "cat nosuch",
	} {
		if checkCommand(t, offlock, "../..", wrong) == "" {
			t.Errorf("`%s` passes the check", wrong)
		}
	}
}

// workFolder is where the commands of a page are called: at the root for the guides, else beside the page.
func workFolder(page string) string {
	folder := filepath.Dir(page)
	if filepath.Base(folder) == "docs" {
		return filepath.Dir(folder)
	}
	return folder
}

func checkCommand(t *testing.T, offlock, folder, line string) (reason string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " | ")
	line, _, _ = strings.Cut(line, " > ")
	words := strings.Fields(line)
	for len(words) > 0 && regexp.MustCompile(`^[A-Z0-9_]+=`).MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) > 3 && words[0] == "go" && words[1] == "-C" {
		folder = filepath.Join(folder, words[2])
		words = append([]string{"go"}, words[3:]...)
	}
	isOfflock := regexp.MustCompile(`^(\.\.?/.*cmd/offlock|github\.com/offlock/offlock/cmd/offlock@\S+)$`)
	switch {
	case len(words) == 0:
		return ""
	case words[0] == "offlock" || words[0] == "./offlock":
		return checkFlags(offlock, words[1:])
	case len(words) > 2 && words[0] == "go" && words[1] == "run" && isOfflock.MatchString(words[2]):
		return checkFlags(offlock, words[3:])
	case words[0] == "go" && len(words) > 1 && slices.Contains([]string{"run", "test", "build", "vet"}, words[1]):
		return checkPackages(folder, words[2:])
	case words[0] == "make":
		for _, target := range words[1:] {
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).MatchString(read(t, "../../Makefile")) {
				return "the Makefile has no such target"
			}
		}
		return ""
	case words[0] == "bash" || words[0] == "cat" || strings.HasPrefix(words[0], ".ci/"):
		script := words[len(words)-1]
		if strings.HasPrefix(words[0], ".ci/") {
			script = words[0]
		}
		if _, err := os.Stat(filepath.Join("../..", script)); err != nil {
			return "no such file"
		}
		return ""
	case slices.Contains([]string{"cd", "git", "export", "docker", "redis-server", "curl"}, words[0]):
		return ""
	}
	return "a kind of command that this test does not check"
}

// checkFlags lets the program parse the line and print its help instead of running.
func checkFlags(offlock string, args []string) string {
	out, err := exec.Command(offlock, append(args, "--help")...).CombinedOutput()
	if err != nil {
		return strings.TrimSpace(string(out))
	}
	return ""
}

func checkPackages(folder string, args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "./") && arg != "." {
			continue
		}
		list := exec.Command("go", "list", arg)
		list.Dir = folder
		if out, err := list.CombinedOutput(); err != nil || strings.Contains(string(out), "matched no packages") {
			return fmt.Sprintf("go list %s in %s: %v %s", arg, folder, err, out)
		}
	}
	return ""
}

func shellLines(page string) []string {
	var lines []string
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```sh" && !inside
		case inside && line != "" && !strings.HasPrefix(line, "#"):
			command, _, _ := strings.Cut(line, "  #")
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

func pages(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../examples/*/*.md"} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, matches...)
	}
	if len(found) < 3 {
		t.Fatalf("only these pages were found: %v", found)
	}
	return found
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

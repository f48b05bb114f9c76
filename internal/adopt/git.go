package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// IgnoredError says that git would leave the fork, or a part of it, out of a commit.
type IgnoredError struct {
	Paths []string // some of the files, below the folder that was asked about
	Rule  string   // ".gitignore:3:third_party/"
}

func (e *IgnoredError) Error() string {
	return fmt.Sprintf("git ignores %s (%s), so a commit and with it every build elsewhere would miss the fork: "+
		"take the rule out of the way, or choose another folder with --dir", strings.Join(e.Paths, ", "), e.Rule)
}

// elsewhere are git's words for files that are not part of the service's repository.
var elsewhere = []string{"is outside repository", "in submodule", "beyond a symbolic link"}

// checkIgnored asks git whether a commit would take these files, named below root. Without git or without a repository
// there is nothing to ask; files that git knows already are never ignored.
func checkIgnored(ctx context.Context, root string, files []string) error {
	var in, out, said bytes.Buffer
	for _, file := range files {
		in.WriteString(filepath.ToSlash(file))
		in.WriteByte(0)
	}
	cmd := exec.CommandContext(ctx, "git", "-C", root, "check-ignore", "--stdin", "-z", "--verbose")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &said
	cmd.Env = append(os.Environ(), "LC_ALL=C") // its words are read below
	cmd.WaitDelay = time.Second                // for what a git that was ended may have left holding the pipes
	if err := cmd.Run(); err != nil {          // 1: none is ignored; 128: no repository
		var exit *exec.ExitError
		for _, words := range elsewhere {
			if strings.Contains(said.String(), words) {
				return fmt.Errorf("a commit of the service would not hold the fork: git says %q; choose another folder with --dir",
					strings.TrimSpace(said.String()))
			}
		}
		if errors.As(err, &exit) || errors.Is(err, exec.ErrNotFound) {
			return ctx.Err()
		}
		return err
	}
	// Four fields a file: source, line, pattern, path. A pattern with "!" is one that keeps it.
	var (
		fields = strings.Split(out.String(), "\x00")
		found  IgnoredError
		count  int
	)
	for ; len(fields) > 4; fields = fields[4:] {
		if strings.HasPrefix(fields[2], "!") {
			continue
		}
		if found.Rule == "" {
			found.Rule = fields[0] + ":" + fields[1] + ":" + fields[2]
		}
		if count++; count <= 3 {
			found.Paths = append(found.Paths, fields[3])
		}
	}
	if count == 0 {
		return nil
	}
	if count > 3 {
		found.Paths = append(found.Paths, fmt.Sprintf("%d more", count-3))
	}
	return &found
}

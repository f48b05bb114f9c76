package adopt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// GoError is a go command that failed.
type GoError struct {
	Args    []string // without those that name our own temporary files
	Stderr  string   // what it said, trimmed
	Network bool     // it failed at the network or the disk, as far as its words tell
	Err     error
}

func (e *GoError) Error() string {
	said := e.Stderr
	if said == "" {
		said = e.Err.Error()
	}
	return fmt.Sprintf("go %s: %s", strings.Join(e.Args, " "), said)
}

func (e *GoError) Unwrap() error { return e.Err }

// networkWords are what the go command says when it could not reach something. It has no exit code for that.
var networkWords = []string{
	"dial tcp", "i/o timeout", "no such host", "connection refused", "connection reset", "TLS handshake",
	"module lookup disabled by GOPROXY=off", "403 Forbidden", "407 Proxy", "429 Too Many", "500 Internal", "502 Bad",
	"503 Service", "504 Gateway", "unexpected EOF", "no space left", "read-only file system", "permission denied",
}

// goCommand runs the go command in dir and returns what it printed. env is added to the environment.
func goCommand(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir)
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("the go command is not on the PATH: %w", err)
	}
	said := strings.TrimSpace(stderr.String())
	failure := &GoError{Args: shown(args), Stderr: said, Err: err}
	for _, word := range networkWords {
		failure.Network = failure.Network || strings.Contains(said, word)
	}
	return stdout.Bytes(), failure
}

// shown are the arguments that a user would give.
func shown(args []string) []string {
	var result []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-o":
			i++
		case !strings.HasPrefix(args[i], "-modfile="):
			result = append(result, args[i])
		}
	}
	return result
}

// goEnv reads variables of the go command as they are in dir.
func goEnv(ctx context.Context, dir string, names ...string) (map[string]string, error) {
	out, err := goCommand(ctx, dir, nil, append([]string{"env", "-json"}, names...)...)
	if err != nil {
		return nil, err
	}
	var env map[string]string
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("go env printed what is not JSON: %w", err)
	}
	return env, nil
}

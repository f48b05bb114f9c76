package adopt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/offlock/offlock/internal/gocmd"
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
	out, err := gocmd.Run(ctx, dir, env, args...)
	var ran *gocmd.Error
	if !errors.As(err, &ran) {
		return out, err
	}
	failure := &GoError{Args: shown(args), Stderr: ran.Stderr, Err: ran.Err}
	for _, word := range networkWords {
		failure.Network = failure.Network || strings.Contains(ran.Stderr, word)
	}
	return out, failure
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

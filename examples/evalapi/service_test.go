package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/examples/evalapi/internal/backends"
)

// One flush only: at these library versions two uploads within a second get one name, and the second replaces the first.
func TestEveryEventLandsOnce(t *testing.T) {
	const requests, perRequest = 20, 50
	prefix := fmt.Sprintf("evalapi-test-%d:", os.Getpid())
	for _, tc := range []struct {
		name, redis string
		real        bool
		s3Path      string
	}{
		{name: "miniredis", s3Path: "evaluations"},
		{name: "no S3_PATH"},
		{name: "real Redis", redis: realRedis, real: true, s3Path: "evaluations"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.real && tc.redis == "" {
				t.Skip("set REDIS_ADDR=host:port to run this against a real Redis; it ran against miniredis")
			}
			w := newWorld(t, backends.Options{Flags: 6, Prefix: prefix, RedisAddr: tc.redis})
			t.Setenv("S3_PATH", tc.s3Path)
			s := startService(t)

			want := map[string]int{}
			for i := range requests {
				var users []string
				for j := range perRequest {
					users = append(users, fmt.Sprintf("collected-%d-%d", i, j))
				}
				collectEvents(t, s.url, users...)
				for _, user := range users {
					want[user] = 1
				}
			}
			for i := 1; i <= 6; i++ {
				user := fmt.Sprintf("evaluated-%d", i)
				evaluateFlag(t, s.url, backends.FlagName(i), user)
				want[user] = 1
			}

			last, err := s.stop()
			if err != nil || !last.Stopped {
				t.Errorf("stop: %+v, %v", last, err)
			}
			held := w.tally()
			if diff := cmp.Diff(want, held.Users); diff != "" {
				t.Errorf("events in S3 by user (-want +got):\n%s", diff)
			}
			if held.Objects != 1 || held.Puts != 1 || held.FailedPuts != 0 {
				t.Errorf("one flush made %d objects with %d uploads, %d of them failed", held.Objects, held.Puts, held.FailedPuts)
			}
		})
	}
}

// evaluateFlag evaluates one of the seeded flags and checks the answer's shape and value.
func evaluateFlag(t *testing.T, url, key, user string) {
	t.Helper()
	status, answer := request(t, http.MethodGet, url+"/flag-evaluation?key="+key+"&user="+user, "")
	var got evaluation
	if err := json.Unmarshal(answer, &got); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s %v", key, status, answer, err)
	}
	if got.Key != key || got.User != user || got.Reason != "SPLIT" || got.Version != "1" {
		t.Errorf("%s: unexpected answer %s", key, answer)
	}
	values := map[string]map[string]any{
		"flag-1": {"on": true, "off": false},
		"flag-2": {"on": "blue", "off": "grey"},
		"flag-3": {"on": 42.0, "off": 7.0},
		"flag-4": {"on": 1.5, "off": 0.25},
		"flag-5": {"on": map[string]any{"limit": 100.0, "beta": true}, "off": map[string]any{"limit": 10.0}},
		"flag-6": {"on": []any{"a", "b"}, "off": []any{}},
	}
	if diff := cmp.Diff(values[key][got.Variation], got.Value); diff != "" {
		t.Errorf("%s, variation %s (-want +got):\n%s", key, got.Variation, diff)
	}
}

func TestProcessFlushesAndExits(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(*process) (stopped, error)
	}{
		{"on SIGTERM", (*process).terminate},
		{"with its driver", func(p *process) (stopped, error) {
			_ = p.stdin.Close()
			return p.ended()
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, backends.Options{Flags: 1})
			p := startProcess(t)
			collectEvents(t, p.url, "a", "b", "c")
			if got := w.tally(); got.Events != 0 {
				t.Fatalf("%d events in S3 before the flush", got.Events)
			}
			last, err := tc.end(p)
			if err != nil {
				t.Errorf("exit: %v", err)
			}
			if !last.Stopped || last.PeakGoroutines < 1 || (runtime.GOOS == "linux" && last.PeakRSSBytes < 1<<20) {
				t.Errorf("last line: %+v", last)
			}
			if diff := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1}, w.tally().Users); diff != "" {
				t.Errorf("events in S3 by user (-want +got):\n%s", diff)
			}
		})
	}
}

// The last line says how long the library was waited for, when that was in vain too.
func TestHungExporter(t *testing.T) {
	newWorld(t, backends.Options{Flags: 1})
	t.Setenv("HUNG_EXPORTER", "true")
	t.Setenv("SHUTDOWN_TIMEOUT", "200ms")
	p := startProcess(t)
	collectEvents(t, p.url, "a")
	last, err := p.terminate()
	if err == nil || last.Stopped || last.CloseMS == 0 {
		t.Errorf("last line %+v, exit %v; want one that has not stopped, and how long Close was waited for", last, err)
	}
}

func TestShutdownTimeoutIsReported(t *testing.T) {
	w := newWorld(t, backends.Options{Flags: 1})
	t.Setenv("SHUTDOWN_TIMEOUT", "200ms")
	p := startProcess(t)
	w.setFaults(`{"stall":true}`)
	collectEvents(t, p.url, "a")
	last, err := p.terminate()
	if err == nil || last.Stopped || last.PeakGoroutines < 1 {
		t.Errorf("last line %+v, exit %v; want one that has not stopped, and an error", last, err)
	}
	if log := p.stderr.String(); !strings.Contains(log, "SHUTDOWN_TIMEOUT=200ms") {
		t.Errorf("the log does not name SHUTDOWN_TIMEOUT:\n%s", log)
	}
}

func TestFailedExportIsLogged(t *testing.T) {
	w := newWorld(t, backends.Options{Flags: 1})
	s := startService(t)
	w.setFaults(`{"status":403,"code":"AccessDenied"}`)
	collectEvents(t, s.url, "a")
	if _, err := s.stop(); err != nil {
		t.Error(err)
	}
	if log := s.stderr.String(); !strings.Contains(log, "AccessDenied") {
		t.Errorf("the log does not name the error:\n%s", log)
	}
	if held := w.tally(); held.FailedPuts == 0 || held.Events != 0 {
		t.Errorf("%+v, want a failed upload and no event", held)
	}
}

// As processes: when its first contact with Redis fails, the library leaves a goroutine of the Redis client behind.
func TestFailedStart(t *testing.T) {
	for _, tc := range []struct{ name, value, want string }{
		{"REDIS_ADDR", "127.0.0.1:1", "REDIS_ADDR=127.0.0.1:1"},
		{"ADDR", "127.0.0.1:99999", "listening on ADDR"},
		{"S3_BUCKET", "", "S3_BUCKET: is not set"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			newWorld(t, backends.Options{Flags: 1})
			cmd := serviceProcess(t)
			cmd.Env = append(cmd.Env, tc.name+"="+tc.value)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("%v, want exit status 1", err)
			}
			if !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("standard error has no %q:\n%s", tc.want, &stderr)
			}
			if stdout.Len() > 0 {
				t.Errorf("it printed %q without having started", &stdout)
			}
		})
	}
}

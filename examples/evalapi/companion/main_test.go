package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/offlock/offlock/examples/evalapi/internal/backends"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCompanionEnds(t *testing.T) {
	for _, tc := range []struct {
		name   string
		driven bool
		end    func(cancel context.CancelFunc, driver io.Closer)
	}{
		{"with its driver", true, func(_ context.CancelFunc, driver io.Closer) { _ = driver.Close() }},
		{"with a signal", false, func(cancel context.CancelFunc, _ io.Closer) { cancel() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stdin, driverEnd := io.Pipe()
			defer func() { _ = driverEnd.Close() }()
			out, stdout := io.Pipe()
			ended := make(chan error, 1)
			var driver io.Reader
			if tc.driven {
				driver = stdin
			}
			var stderr bytes.Buffer // read when run has ended
			go func() { ended <- run(ctx, []string{"-flags", "2", "-prefix", "p:"}, driver, stdout, &stderr) }()

			lines := bufio.NewScanner(out)
			var a backends.Addresses
			if !lines.Scan() || json.Unmarshal(lines.Bytes(), &a) != nil {
				t.Fatalf("first line: %q", lines.Text())
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.Control+"/faults", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Close = true
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("GET /faults: %s", resp.Status)
			}

			tc.end(cancel, driverEnd)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if _, err := http.DefaultClient.Do(req.Clone(t.Context())); err == nil {
				t.Error("the control API still answers")
			}
			// Without a driver there is a reader, who is told how to go on.
			want := "REDIS_ADDR=" + a.Redis + " REDIS_PREFIX='p:' S3_BUCKET=events S3_PATH_STYLE=true AWS_ENDPOINT_URL_S3=" + a.S3
			if strings.Contains(stderr.String(), want) == tc.driven {
				t.Errorf("standard error: %q", &stderr)
			}
		})
	}
}

func TestOnlyAPipeIsADriver(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	if driver(r) == nil {
		t.Error("a pipe is no driver")
	}
	if driver(null) != nil {
		t.Errorf("%s is a driver", os.DevNull)
	}
}

func TestBadArguments(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"extra"}, `unexpected argument "extra"`},
		{[]string{"-flags", "many"}, "invalid value"},
		{[]string{"-flags", "-1"}, "-1 flags"},
		{[]string{"-redis", "127.0.0.1:1"}, "needs a key prefix"},
	} {
		err := run(t.Context(), tc.args, nil, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v, want one with %q", tc.args, err, tc.want)
		}
	}
	if err := run(t.Context(), []string{"-help"}, nil, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help: %v", err)
	}
}

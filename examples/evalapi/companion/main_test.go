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
	"strings"
	"testing"

	"github.com/offlock/offlock/examples/evalapi/internal/backends"
	"github.com/offlock/offlock/examples/evalapi/internal/driver"
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
			if tc.driven {
				ctx = driver.Context(ctx, stdin)
			}
			var stderr bytes.Buffer // read when run has ended
			go func() { ended <- run(ctx, []string{"-flags", "2", "-prefix", "p:"}, tc.driven, stdout, &stderr) }()

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
		err := run(t.Context(), tc.args, true, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v, want one with %q", tc.args, err, tc.want)
		}
	}
	if err := run(t.Context(), []string{"-help"}, true, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help: %v", err)
	}
}

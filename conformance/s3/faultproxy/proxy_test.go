package faultproxy

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fault breaks the one request it is for: the client has no answer or a refusal, and the server has the whole request if the
// fault says so, and not otherwise. What comes after that passes.
func TestFaults(t *testing.T) {
	const content = "0123456789"
	for _, fault := range All {
		t.Run(fault.Name, func(t *testing.T) {
			var whole atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, err := io.ReadAll(r.Body); err == nil && string(body) == content {
					whole.Add(1)
				}
				_, _ = io.WriteString(w, "stored")
			}))
			defer server.Close()
			proxy := New(server.Listener.Addr().String())
			front := httptest.NewServer(proxy)
			defer front.Close()
			defer front.CloseClientConnections()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			put := func(target string) (status int, body string, err error) {
				r, err := http.NewRequestWithContext(ctx, http.MethodPut, front.URL+target, strings.NewReader(content))
				if err != nil {
					t.Fatal(err)
				}
				r.GetBody = nil // or the client would send it again by itself
				response, err := front.Client().Do(r)
				if err != nil {
					return 0, "", err
				}
				defer func() { _ = response.Body.Close() }()
				answer, err := io.ReadAll(response.Body)
				return response.StatusCode, string(answer), err
			}

			proxy.Break(fault, Put, 1)
			if status, body, err := put("/b/k?partNumber=1&uploadId=u"); err != nil || status != http.StatusOK || body != "stored" {
				t.Fatalf("another operation: %d, %q, %v", status, body, err)
			}
			whole.Store(0)
			go func() { // nobody but a client that goes ends a stall
				<-proxy.Broken()
				if fault.Name == Stall.Name || fault.Name == StallAnswer.Name {
					cancel()
				}
			}()
			status, body, err := put("/b/k")
			if err == nil && (status != http.StatusServiceUnavailable || !strings.Contains(body, "SlowDown")) {
				t.Errorf("the client was told %d, %q", status, body)
			}
			if got := whole.Load() == 1; got != fault.Stored {
				t.Errorf("the server has the request: %t; the client was told %d, %q, %v", got, status, body, err)
			}
			ctx = context.Background()
			if status, body, err := put("/b/k"); err != nil || status != http.StatusOK || body != "stored" {
				t.Errorf("after the fault: %d, %q, %v", status, body, err)
			}
			if keys := proxy.Keys(); len(keys) != 2 || keys[0] != "/b/k" || keys[1] != "/b/k" {
				t.Errorf("keys %q", keys)
			}
		})
	}
}

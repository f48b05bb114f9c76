package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/offlock/offlock/examples/evalapi/internal/backends"
	"go.uber.org/goleak"
)

// asService tells the test binary to be the service, for the tests that need it as a process.
const asService = "EVALAPI_TEST_AS_SERVICE"

// realRedis is what REDIS_ADDR was before the tests began to set it for the service.
var realRedis = os.Getenv("REDIS_ADDR")

func TestMain(m *testing.M) {
	if os.Getenv(asService) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// world is everything around one service.
type world struct {
	t       *testing.T
	control string
	bucket  string
}

// bucketTally is the control API's answer.
type bucketTally struct {
	Objects, Events, Puts, FailedPuts int
	Users                             map[string]int
}

// newWorld starts the backends, makes an empty bucket, and sets the environment of a service that uses them.
func newWorld(t *testing.T, o backends.Options) *world {
	t.Helper()
	b, err := backends.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, control: b.Addresses().Control, bucket: "events"}
	w.ask(http.MethodPost, "/buckets/"+w.bucket, "", nil)
	for name, value := range map[string]string{
		"ADDR":                  "127.0.0.1:0",
		"REDIS_ADDR":            b.Addresses().Redis,
		"REDIS_PREFIX":          o.Prefix,
		"S3_BUCKET":             w.bucket,
		"S3_PATH":               "evaluations",
		"S3_PATH_STYLE":         "true",
		"FLUSH_INTERVAL":        "1h", // unless a test says otherwise, the stop is the only flush
		"AWS_REGION":            "us-east-1",
		"AWS_ACCESS_KEY_ID":     "any",
		"AWS_SECRET_ACCESS_KEY": "any",
		"AWS_ENDPOINT_URL_S3":   b.Addresses().S3,
		"AWS_CONFIG_FILE":       os.DevNull,
	} {
		t.Setenv(name, value)
	}
	return w
}

func (w *world) ask(method, path, body string, out any) {
	w.t.Helper()
	if status, answer := request(w.t, method, w.control+path, body); status/100 != 2 {
		w.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	} else if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) setFaults(faults string) { w.ask(http.MethodPut, "/faults", faults, nil) }

func (w *world) tally() (held bucketTally) {
	w.t.Helper()
	w.ask(http.MethodGet, "/buckets/"+w.bucket+"/tally", "", &held)
	return held
}

// collectEvents sends one event for each user in one request.
func collectEvents(t *testing.T, url string, users ...string) {
	t.Helper()
	var events []map[string]any
	for _, user := range users {
		events = append(events, map[string]any{"userKey": user, "key": "flag-1", "variation": "on", "value": true})
	}
	body, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		t.Fatal(err)
	}
	if status, answer := request(t, http.MethodPost, url+"/collect", string(body)); status != http.StatusOK {
		t.Fatalf("/collect: %d %s", status, answer)
	}
}

// request makes one request on a connection of its own, so that none is left over.
func request(t *testing.T, method, url, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

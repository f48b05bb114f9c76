package backends

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, o Options) Addresses {
	t.Helper()
	b, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b.Addresses()
}

// ask returns the status and the body of one request to the control API.
func ask(t *testing.T, method, url, body string) (int, string) {
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
	return resp.StatusCode, strings.TrimSpace(string(answer))
}

func upload(t *testing.T, endpoint, bucket, key, body string) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := newS3Client(aws.Config{
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("any", "any", ""),
		HTTPClient:  &http.Client{Transport: transport},
	}, endpoint)
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader(body)})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFlagsAreSeeded(t *testing.T) {
	a := start(t, Options{Flags: 7, Prefix: "p:"})
	client := redis.NewClient(&redis.Options{Addr: a.Redis})
	defer func() { _ = client.Close() }()
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 7 {
		t.Fatalf("keys %v, %v", keys, err)
	}
	value, err := client.Get(t.Context(), "p:flag-7").Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(value, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"variations":  map[string]any{"on": true, "off": false},
		"defaultRule": map[string]any{"percentage": map[string]any{"on": 50.0, "off": 50.0}},
		"trackEvents": true,
		"version":     "1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flag-7 (-want +got):\n%s", diff)
	}
}

// The real Redis is another built-in one here: what matters is that it is left as it was.
func TestRealRedisIsLeftAsItWas(t *testing.T) {
	outer := start(t, Options{Flags: 1})
	b, err := Start(t.Context(), Options{Flags: 3, Prefix: "mine:", RedisAddr: outer.Redis})
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(&redis.Options{Addr: outer.Redis})
	defer func() { _ = client.Close() }()
	if n := client.DBSize(t.Context()).Val(); n != 4 {
		t.Errorf("%d keys, want 1 of before and 3 seeded", n)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if keys := client.Keys(t.Context(), "*").Val(); len(keys) != 1 || keys[0] != "flag-1" {
		t.Errorf("keys %v were left", keys)
	}
}

func TestControl(t *testing.T) {
	a := start(t, Options{})
	for _, step := range []struct {
		name, method, path, body string
		status                   int
		contains                 string
	}{
		{"no bucket yet", "GET", "/buckets/events/tally", "", 404, "no bucket is named events"},
		{"create", "POST", "/buckets/events", "", 201, `{"bucket":"events"}`},
		{"create again", "POST", "/buckets/events", "", 201, `{"bucket":"events"}`},
		{"a name that no bucket may have", "POST", "/buckets/ev", "", 400, "InvalidBucketName"},
		{"empty", "GET", "/buckets/events/tally", "", 200, `{"objects":0,"events":0,"users":{},"late":0,"puts":0,"failedPuts":0,"failedNames":0,"abandonedNames":0,"changedNames":0}`},
		{"faults", "PUT", "/faults", `{"delayMS":65,"status":503,"retryAfterSeconds":2}`, 200, `"code":"SlowDown"`},
		{"faults in force", "GET", "/faults", "", 200, `{"delayMS":65,"status":503,"code":"SlowDown","retryAfterSeconds":2,"stall":false,"reset":false}`},
		{"misspelt fault", "PUT", "/faults", `{"delay":65}`, 400, "unknown field"},
		{"no JSON", "PUT", "/faults", `65`, 400, "not a JSON object of faults"},
		{"bad fault", "PUT", "/faults", `{"status":200}`, 400, "400 to 599"},
		{"still in force", "GET", "/faults", "", 200, `"status":503`},
		{"none", "PUT", "/faults", `{}`, 200, `"status":0`},
		{"wrong method", "POST", "/faults", `{}`, 405, ""},
	} {
		if status, answer := ask(t, step.method, a.Control+step.path, step.body); status != step.status || !strings.Contains(answer, step.contains) {
			t.Errorf("%s: %d %s, want %d with %s", step.name, status, answer, step.status, step.contains)
		}
	}

	upload(t, a.S3, "events", "x.json", "{\"userKey\":\"a\"}\n{\"userKey\":\"a\"}\n")
	want := `{"objects":1,"events":2,"users":{"a":2},"late":0,"puts":1,"failedPuts":0,"failedNames":0,"abandonedNames":0,"changedNames":0}`
	if _, answer := ask(t, "GET", a.Control+"/buckets/events/tally", ""); answer != want {
		t.Errorf("tally %s, want %s", answer, want)
	}
	upload(t, a.S3, "events", "y.json", "no event")
	if status, answer := ask(t, "GET", a.Control+"/buckets/events/tally", ""); status != 502 || !strings.Contains(answer, "y.json") {
		t.Errorf("tally of a bad object: %d %s", status, answer)
	}
	ask(t, "POST", a.Control+"/buckets/events", "")
	want = `{"objects":0,"events":0,"users":{},"late":0,"puts":0,"failedPuts":0,"failedNames":0,"abandonedNames":0,"changedNames":0}`
	if _, answer := ask(t, "GET", a.Control+"/buckets/events/tally", ""); answer != want {
		t.Errorf("tally after the bucket was made anew %s, want %s", answer, want)
	}
}

// The real S3 is another built-in one here, reached through its address alone.
func TestRealS3(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "",
	} {
		t.Setenv(name, value)
	}
	outer := start(t, Options{})
	a := start(t, Options{S3Endpoint: outer.S3})
	if a.S3 != outer.S3 {
		t.Errorf("S3 at %s, want %s", a.S3, outer.S3)
	}
	for _, step := range []struct {
		name, method, path, body string
		status                   int
		contains                 string
	}{
		{"faults", "PUT", "/faults", `{"status":503}`, 409, "a real S3 takes no faults"},
		{"faults in force", "GET", "/faults", "", 409, "a real S3 takes no faults"},
		{"create", "POST", "/buckets/events", "", 201, ""},
	} {
		if status, answer := ask(t, step.method, a.Control+step.path, step.body); status != step.status || !strings.Contains(answer, step.contains) {
			t.Errorf("%s: %d %s, want %d with %s", step.name, status, answer, step.status, step.contains)
		}
	}
	upload(t, a.S3, "events", "x.json", "{\"userKey\":\"a\"}\n")
	if status, answer := ask(t, "POST", a.Control+"/buckets/events", ""); status != 409 {
		t.Errorf("emptying a bucket in use: %d %s, want 409", status, answer)
	}
	want := `{"objects":1,"events":1,"users":{"a":1},"late":0,"puts":0,"failedPuts":0,"failedNames":0,"abandonedNames":0,"changedNames":0}`
	if _, answer := ask(t, "GET", a.Control+"/buckets/events/tally", ""); answer != want {
		t.Errorf("tally %s, want %s", answer, want)
	}
}

func TestBadOptions(t *testing.T) {
	inUse := start(t, Options{})
	for _, tc := range []struct {
		name string
		o    Options
		want string
	}{
		{"negative flags", Options{Flags: -1}, "-1 flags"},
		{"real Redis without a prefix", Options{RedisAddr: inUse.Redis}, "needs a key prefix"},
		{"no Redis there", Options{Flags: 1, Prefix: "p:", RedisAddr: "127.0.0.1:1"}, "writing flag flag-1 to Redis"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := Start(t.Context(), tc.o)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, %v; want an error with %q", b, err, tc.want)
			}
		})
	}
}

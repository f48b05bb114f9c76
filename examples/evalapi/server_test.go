package main

import (
	"encoding/json"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/examples/evalapi/internal/backends"
)

func TestAnswers(t *testing.T) {
	w := newWorld(t, backends.Options{Flags: 1})
	s := startService(t)
	event := `{"userKey":"u","key":"flag-1","variation":"on","value":true}`
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		contains                 string
	}{
		{"alive", "GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"no key", "GET", "/flag-evaluation?user=u", "", 400, "key (the flag) and user"},
		{"no user", "GET", "/flag-evaluation?key=flag-1", "", 400, "key (the flag) and user"},
		{"unknown flag", "GET", "/flag-evaluation?key=none&user=u", "", 404, "no flag is named none"},
		{"evaluation by POST", "POST", "/flag-evaluation?key=flag-1&user=u", "", 405, ""},
		{"collect by GET", "GET", "/collect", "", 405, ""},
		{"no such path", "GET", "/nothing", "", 404, ""},
		{"events", "POST", "/collect", `{"events":[` + event + `,` + event + `],"meta":{}}`, 200, `{"ingestedContentCount":2}`},
		{"events to check", "POST", "/check", `{"events":[` + event + `,` + event + `]}`, 200, `{"ingestedContentCount":2}`},
		{"nothing to check", "POST", "/check", `{}`, 400, "no events"},
		{"several users", "GET", "/flag-evaluation?key=flag-1&user=v&user=u", "", 200, `"user":"u"`},
		{"several users, one empty", "GET", "/flag-evaluation?key=flag-1&user=v&user=", "", 400, "key (the flag) and user"},
		{"no event", "POST", "/collect", `{"events":[]}`, 200, `{"ingestedContentCount":0}`},
		{"empty body", "POST", "/collect", ``, 400, "not the JSON object"},
		{"no JSON", "POST", "/collect", `{"events":[`, 400, "not the JSON object"},
		{"no events", "POST", "/collect", `{}`, 400, "no events"},
		{"two values", "POST", "/collect", `{"events":[]} {}`, 400, "more than one JSON value"},
		{"rubbish behind", "POST", "/collect", `{"events":[]} x`, 400, "behind the JSON object"},
		{"no userKey", "POST", "/collect", `{"events":[` + event + `,{"key":"flag-1"}]}`, 400, "events[1]: no userKey"},
		{"no flag key", "POST", "/collect", `{"events":[{"userKey":"u"}]}`, 400, "events[0]: no key"},
		{"tracking event", "POST", "/collect", `{"events":[{"kind":"tracking","userKey":"u","key":"k"}]}`, 400, "only feature"},
		{"too large", "POST", "/collect", `{"events":[` + strings.Repeat(" ", maxCollectBytes) + `]}`, 413, "too large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, answer := request(t, tc.method, s.url+tc.path, tc.body)
			if status != tc.status || !strings.Contains(string(answer), tc.contains) {
				t.Errorf("%d %s, want %d with %q", status, answer, tc.status, tc.contains)
			}
		})
	}
	if _, err := s.stop(); err != nil {
		t.Fatal(err)
	}
	// Of the refused bodies nothing was collected, not even the good event before the bad one, and of checked ones neither.
	// The library makes an event of the unknown flag's evaluation too.
	if diff := cmp.Diff(map[string]int{"u": 4, "v": 1}, w.tally().Users); diff != "" {
		t.Errorf("events in S3 by user (-want +got):\n%s", diff)
	}
}

func TestStats(t *testing.T) {
	newWorld(t, backends.Options{Flags: 1})
	s := startService(t)
	_, answer := request(t, http.MethodGet, s.url+"/stats", "")
	var got stats
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(answer), `"exporters":[`) {
		t.Errorf("no list of exporters: %s", answer)
	}
	if got.Goroutines < 1 || got.PeakGoroutines < got.Goroutines || got.HeapBytes < 1 {
		t.Errorf("%+v", got)
	}
	if runtime.GOOS == "linux" && (got.RSSBytes < 1<<20 || got.PeakRSSBytes < got.RSSBytes) {
		t.Errorf("%+v", got)
	}
}

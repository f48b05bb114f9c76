package regress

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestSchedule(t *testing.T) {
	const rate = 500
	warmup, length := time.Second, 20*time.Second
	all := schedule(rate, warmup, length)
	if !slices.IsSortedFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) }) {
		t.Error("arrivals are not in the order of their time")
	}
	users := map[string]bool{}
	var perEndpoint [endpoints]int
	for _, a := range all {
		if a.at < 0 || a.at >= warmup+length {
			t.Fatalf("arrival at %s", a.at)
		}
		if a.warmup != (a.at < warmup) {
			t.Fatalf("arrival at %s: warmup is %v", a.at, a.warmup)
		}
		if users[a.caller] || !slices.Equal(a.users(), []string{a.caller}) {
			t.Fatalf("caller %s with the users %q", a.caller, a.users())
		}
		users[a.caller] = true
		perEndpoint[a.endpoint]++
	}
	for e, n := range perEndpoint {
		// 10,500 expected; four standard deviations of a Poisson count are 4 %.
		if want := rate * (warmup + length).Seconds(); float64(n) < 0.96*want || float64(n) > 1.04*want {
			t.Errorf("%s: %d arrivals, about %.0f expected", endpoint(e).path(), n, want)
		}
	}
	if !slices.Equal(all, schedule(rate, warmup, length)) {
		t.Error("a second schedule differs")
	}
}

// steady has n arrivals, one every gap.
func steady(n int, gap time.Duration) []arrival {
	all := make([]arrival, n)
	for i := range all {
		all[i] = arrival{at: time.Duration(i) * gap, endpoint: []endpoint{collect, evaluation}[i%2], caller: string(rune('a' + i)), events: 1}
	}
	return all
}

func TestRequests(t *testing.T) {
	for _, test := range []struct {
		arrival             arrival
		method, query, body string
	}{
		{arrival{endpoint: collect, caller: "c7", events: 1}, "POST", "", `{"events":[{"userKey":"c7","key":"flag-1","variation":"on","value":true}]}`},
		{arrival{endpoint: check, caller: "k7", events: 1}, "POST", "", `{"events":[{"userKey":"k7","key":"flag-1","variation":"on","value":true}]}`},
		{arrival{endpoint: collect, caller: "c7", events: 2}, "POST", "", `{"events":[{"userKey":"c7.0","key":"flag-1","variation":"on","value":true},` +
			`{"userKey":"c7.1","key":"flag-1","variation":"on","value":true}]}`},
		{arrival{endpoint: evaluation, caller: "f7", events: 2}, "GET", "key=flag-1&user=f7.0&user=f7.1", ""},
	} {
		request, err := newRequest(t.Context(), "http://service", test.arrival)
		if err != nil {
			t.Fatal(err)
		}
		var body []byte
		if request.Body != nil {
			if body, err = io.ReadAll(request.Body); err != nil {
				t.Fatal(err)
			}
		}
		if request.Method != test.method || request.URL.Path != test.arrival.endpoint.path() ||
			request.URL.RawQuery != test.query || string(body) != test.body {
			t.Errorf("%+v: %s %s %s", test.arrival, request.Method, request.URL, body)
		}
	}
}

// A server that answers nothing for a while must show in the requests that arrive meanwhile: each waits for what is left.
func TestDriveHidesNoStall(t *testing.T) {
	const stall, gap, n = 400 * time.Millisecond, 20 * time.Millisecond, 10
	arrivals := steady(n, gap)
	release := make(chan struct{})
	var once atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if once.CompareAndSwap(false, true) {
			time.AfterFunc(stall, func() { close(release) })
		}
		<-release
	}))
	defer server.Close()

	answers, err := drive(t.Context(), server.URL, arrivals, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if !a.accepted() || a.err != nil {
			t.Fatalf("request %d: %+v", i, a)
		}
		// A closed loop would have sent request i only after the stall, and seen a short latency.
		if left := stall - arrivals[i].at; a.latency < left {
			t.Errorf("request %d arrived %s into a stall of %s, but shows only %s", i, arrivals[i].at, stall, a.latency)
		}
	}
	if first, last := answers[0].latency, answers[n-1].latency; last >= first {
		t.Errorf("the last request waited %s, the first %s: latencies do not count from the arrival", last, first)
	}
}

// A late sender counts from the schedule too: this is what makes the load open loop also on a busy machine.
func TestDriveCountsFromTheSchedule(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	const late = 300 * time.Millisecond
	answers, err := drive(t.Context(), server.URL, []arrival{{at: -late, caller: "a", events: 1}}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if answers[0].latency < late {
		t.Errorf("sent %s late, the latency is only %s", late, answers[0].latency)
	}
}

func TestDriveAnswers(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.FormValue("user") == "b":
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.FormValue("user") == "d":
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}
	}))
	defer server.Close()
	defer close(hang)
	answers, err := drive(t.Context(), server.URL, steady(4, time.Millisecond), 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []answer{{status: 200}, {status: 503}, {status: 200}, {err: errUnanswered}} {
		if got := answers[i]; got.status != want.status || !errors.Is(got.err, want.err) {
			t.Errorf("request %d: %+v, want %+v", i, got, want)
		}
	}

	server.Close()
	answers, err = drive(t.Context(), server.URL, steady(1, 0), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if a := answers[0]; a.accepted() || a.err == nil || errors.Is(a.err, errUnanswered) {
		t.Errorf("without a server: %+v", a)
	}
}

func TestDriveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-hang
	}))
	defer server.Close()
	defer close(hang)
	if _, err := drive(ctx, server.URL, steady(2, time.Hour), time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

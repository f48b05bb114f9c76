package regress

import (
	"cmp"
	"strconv"
	"time"
)

// closeLimit is what the library's Close may take, where it has a limit and the scenario sets none: more than the longest
// export that is under way and another one after it.
const closeLimit = 20 * time.Second

// closing is what the library's Close may take in the scenario.
func (s Scenario) closing() time.Duration { return cmp.Or(s.Close, closeLimit) }

// bound is how long outstanding requests are awaited in the scenario.
func (s Scenario) bound(p pace) time.Duration { return cmp.Or(s.Bound, p.bound) }

// rounds is how many rounds the scenario is driven.
func (s Scenario) rounds(p pace) int {
	if s.Once {
		return 1
	}
	return p.rounds
}

// faults is what stands before S3, during an outage or without one.
func (s Scenario) faults(outage bool) faults {
	f := faults{DelayMS: s.Upload.Milliseconds()}
	if outage {
		f.Status, f.Code = 503, "SlowDown"
	}
	return f
}

// environment is all that the service sees: nothing of the caller's, so that no AWS profile gets into a run.
func (b *bench) environment(bucket string, s Scenario) []string {
	env := []string{
		"ADDR=127.0.0.1:0",
		"REDIS_ADDR=" + b.sink.Redis,
		"S3_BUCKET=" + bucket,
		"S3_PATH=events",
		"S3_PATH_STYLE=true",
		"AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=prove",
		"AWS_SECRET_ACCESS_KEY=prove",
		"AWS_ENDPOINT_URL_S3=" + b.sink.S3,
		"FLUSH_INTERVAL=" + s.FlushInterval.String(),
		"MAX_EVENTS_IN_MEMORY=" + strconv.Itoa(s.MaxEvents),
		"EXPORT_JITTER=" + s.Jitter.String(),
		"NON_BULK=" + strconv.FormatBool(s.NonBulk),
		"HUNG_EXPORTER=" + strconv.FormatBool(s.Hung),
		"CLOSE_TIMEOUT=" + s.closing().String(),
		// A library that keeps to the limit is not cut off even if it is late.
		"SHUTDOWN_TIMEOUT=" + (3 * s.closing()).String(),
		"TMPDIR=" + b.temp,
	}
	if s.Outage > 0 {
		// The AWS client does not try again: what survives the outage, survives it by the library.
		env = append(env, "AWS_MAX_ATTEMPTS=1")
	}
	return env
}

package regress

import (
	"cmp"
	"path/filepath"
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

// spoolPart is the part of an outage after which this module's exporters write to disk: early enough for most of its events to
// take that way, late enough for retries before it.
const spoolPart = 10

// environment is all that the service sees: nothing of the caller's, so that no AWS profile gets into a run. The run's name is
// that of its bucket and of its folder.
func (b *bench) environment(name string, arm Arm, s Scenario) []string {
	env := []string{
		"ADDR=127.0.0.1:0",
		"REDIS_ADDR=" + b.sink.Redis,
		"S3_BUCKET=" + name,
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
		// The AWS client does not try again, nor hold requests back: what survives the outage, survives it by the library.
		env = append(env, "AWS_MAX_ATTEMPTS=1", "AWS_RETRY_MODE=standard")
	}
	if arm.Exporters {
		env = append(env, "ASYNC_EXPORT=true", "SPOOL_DIR="+filepath.Join(b.temp, name))
		if s.Outage > 0 {
			outage := time.Duration(s.Outage * float64(b.pace.length))
			env = append(env, "SPOOL_AFTER="+(outage/spoolPart).String())
		}
	}
	return env
}

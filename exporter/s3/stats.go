package s3

import "sync/atomic"

// counts is what Stats reports.
type counts struct {
	requests, objects, multipart, events, bytes, refused, failures, existing atomic.Int64
}

func (c *counts) stored(u *upload, events int) {
	c.objects.Add(1)
	c.events.Add(int64(events))
	c.bytes.Add(u.bytes)
	if u.parts > 0 {
		c.multipart.Add(1)
	}
}

// Stats is what an exporter has done since New.
type Stats struct {
	Objects   int64 // stored; a batch that is handed over and stored twice counts twice
	Multipart int64 // of Objects, in more than one part
	Events    int64 // in Objects
	Bytes     int64 // in Objects, as stored
	Refused   int64 // events that were set aside because they cannot be encoded
	Failures  int64 // calls of Export that returned an error
	Existing  int64 // of Objects, found stored by an earlier attempt: see IfNoneMatch
	Requests  int64 // attempts of HTTP requests: above one an object (and one a part) are retries
}

// Stats reports on the exporter, at any time.
func (e *Exporter) Stats() Stats {
	c := &e.counts
	return Stats{
		Objects: c.objects.Load(), Multipart: c.multipart.Load(), Events: c.events.Load(), Bytes: c.bytes.Load(),
		Refused: c.refused.Load(), Failures: c.failures.Load(), Existing: c.existing.Load(), Requests: c.requests.Load(),
	}
}

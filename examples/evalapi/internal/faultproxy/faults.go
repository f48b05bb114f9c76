// Package faultproxy stands between an S3 client and an S3 server and makes uploads slow or fail, the way that S3
// itself does it, on order. It touches object PUTs alone (the parts of a multipart upload are such PUTs); every other
// request passes.
package faultproxy

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Faults says what happens to an object PUT. The zero value is a healthy server.
type Faults struct {
	// DelayMS holds the request for so many milliseconds before anything else happens.
	DelayMS int64 `json:"delayMS"`
	// Status, if not 0, is answered instead of storing the object: an error status, 400 to 599.
	Status int `json:"status"`
	// Code is the S3 error code that goes with Status. Default: SlowDown for 503, InternalError for 500.
	Code string `json:"code"`
	// RetryAfterSeconds, if not 0, is sent as Retry-After with Status.
	RetryAfterSeconds int `json:"retryAfterSeconds"`
	// Stall holds the request until the client gives up or the faults are replaced; then it is stored.
	Stall bool `json:"stall"`
	// Reset tears the connection down (TCP RST) after the delay.
	Reset bool `json:"reset"`
}

// defaultCodes are the codes that S3 sends with the statuses that say "try again".
var defaultCodes = map[int]string{
	http.StatusInternalServerError: "InternalError",
	http.StatusServiceUnavailable:  "SlowDown",
}

// check fills in the default code and reports what does not make sense.
func (f Faults) check() (Faults, error) {
	if f.DelayMS < 0 || f.DelayMS > time.Hour.Milliseconds() {
		return f, fmt.Errorf("delayMS is %d: give 0 to an hour", f.DelayMS)
	}
	if f.RetryAfterSeconds < 0 {
		return f, fmt.Errorf("retryAfterSeconds is %d: give 0 or more", f.RetryAfterSeconds)
	}
	if f.Status == 0 {
		if f.Code != "" || f.RetryAfterSeconds != 0 {
			return f, errors.New("code and retryAfterSeconds need a status")
		}
	} else if f.Status < 400 || f.Status > 599 {
		return f, fmt.Errorf("status is %d: give 0 or an error status, 400 to 599", f.Status)
	}
	if f.Status != 0 && f.Code == "" {
		if f.Code = defaultCodes[f.Status]; f.Code == "" {
			return f, fmt.Errorf("status %d needs a code, for example AccessDenied", f.Status)
		}
	}
	alternatives := 0
	for _, on := range []bool{f.Status != 0, f.Stall, f.Reset} {
		if on {
			alternatives++
		}
	}
	if alternatives > 1 {
		return f, errors.New("status, stall and reset exclude each other")
	}
	return f, nil
}

//go:build ignore

package webhookexporter

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/internal"
	"github.com/thomaspoignant/go-feature-flag/internal/signer"
)

// maxAnswer is how much of an answer is read: enough for its connection to be used again, and not to be kept busy by
// one without an end.
const maxAnswer = 256 * 1024

// complete fills in what the configuration leaves out. The maps in it are not ours to change.
func (f *Exporter) complete() {
	if f.httpClient == nil {
		f.httpClient = internal.DefaultHTTPClient()
	}
	meta := map[string]string{}
	meta["hostname"], _ = os.Hostname()
	maps.Copy(meta, f.Meta)
	f.Meta = meta
}

// The length of such a body is known, and it can be sent again: to where the webhook redirects to, or on another
// connection.
//
//offlock:replace Exporter.post 18264093bfa6
func _() {
	body := bytes.NewReader(payload)
}

//offlock:replace Exporter.post b8ef4f967509
func _() {
	defer func() {
		_, _ = io.CopyN(io.Discard, response.Body, maxAnswer)
		_ = response.Body.Close()
	}()
}

//offlock:replace Exporter.post 308b02cdadf6
func _() {
	if response.StatusCode >= http.StatusMultipleChoices {
		err = answerError(response)
	} else if hasLostBody(response) {
		err = fmt.Errorf("the webhook has moved to %s, where the events were not sent", response.Request.URL.Redacted())
	}
}

// hasLostBody tells whether an answer comes from where the webhook redirects to with 301 or 302: that is asked with a
// GET, without the events. With 303, the webhook has taken them, and what it redirects to is its answer.
func hasLostBody(response *http.Response) bool {
	for request := response.Request; request != nil && request.Response != nil; request = request.Response.Request {
		switch request.Response.StatusCode {
		case http.StatusMovedPermanently, http.StatusFound:
			if before := request.Response.Request; before != nil && before.Method == http.MethodPost {
				return true
			}
		}
	}
	return false
}

// answerError returns the error of an answer that does not say that the events were taken.
func answerError(response *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(response.Body, 512))
	err := fmt.Errorf("error while calling the webhook, HTTP Code %d received, response: %s", response.StatusCode, text)
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return exporter.RetryAfter(err, retryAfter(response.Header))
	default:
		return err
	}
}

// retryAfter returns how long the webhook asks to wait, 0 if it does not.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), 1e6)) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

// header returns the header of a call: with a secret, it has the signature of the payload.
func (f *Exporter) header(payload []byte) http.Header {
	header := http.Header(f.Headers).Clone()
	if header == nil {
		header = http.Header{}
	}
	header["Content-Type"] = []string{"application/json"}
	if f.Secret != "" {
		header["X-Hub-Signature-256"] = []string{signer.Sign(payload, []byte(f.Secret))}
	}
	return header
}

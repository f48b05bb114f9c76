package s3test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// readBody reads the payload of a request and the checksums that came with it, by algorithm in lower case: in its headers, or in
// the trailer of an aws-chunked body.
func readBody(r *http.Request) (payload []byte, sums map[string]string, err error) {
	sums = map[string]string{}
	note := func(name, value string) {
		if algorithm, ok := strings.CutPrefix(strings.ToLower(name), "x-amz-checksum-"); ok {
			sums[algorithm] = value
		}
	}
	for name := range r.Header {
		note(name, r.Header.Get(name))
	}
	delete(sums, "algorithm")
	delete(sums, "type")
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		payload, err = io.ReadAll(r.Body)
		return payload, sums, err
	}
	if !strings.Contains(r.Header.Get("Content-Encoding"), "aws-chunked") {
		return nil, nil, errors.New("a streaming payload whose Content-Encoding is not aws-chunked")
	}
	in := bufio.NewReader(r.Body)
	if payload, err = readChunks(in); err != nil {
		return nil, nil, err
	}
	if want := r.Header.Get("X-Amz-Decoded-Content-Length"); want != strconv.Itoa(len(payload)) {
		return nil, nil, fmt.Errorf("%d bytes after decoding, announced were %q", len(payload), want)
	}
	trailer, err := readTrailer(in, note)
	if err != nil {
		return nil, nil, err
	}
	for name := range strings.SplitSeq(r.Header.Get("X-Amz-Trailer"), ",") {
		if name = strings.TrimSpace(name); name != "" && !trailer[strings.ToLower(name)] {
			return nil, nil, fmt.Errorf("the trailer %s was announced and not sent", name)
		}
	}
	return payload, sums, nil
}

// readChunks reads chunks up to the empty one: a size in hexadecimal digits, maybe extensions after a semicolon, then the bytes.
func readChunks(in *bufio.Reader) (payload []byte, err error) {
	for {
		line, err := readLine(in)
		if err != nil {
			return nil, err
		}
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseUint(digits, 16, 31)
		if err != nil {
			return nil, fmt.Errorf("size of a chunk: %w", err)
		}
		if size == 0 {
			return payload, nil
		}
		start := len(payload)
		payload = append(payload, make([]byte, size)...)
		if _, err := io.ReadFull(in, payload[start:]); err != nil {
			return nil, fmt.Errorf("a torn chunk: %w", err)
		}
		if line, err := readLine(in); err != nil || line != "" {
			return nil, fmt.Errorf("a chunk of %d bytes is longer than that: %q %w", size, line, err)
		}
	}
}

// readTrailer reads the lines after the last chunk, to the end, and returns their names.
func readTrailer(in *bufio.Reader, note func(name, value string)) (map[string]bool, error) {
	names := map[string]bool{}
	for {
		line, err := readLine(in)
		if err != nil {
			return nil, err
		}
		if line == "" {
			return names, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%q is no trailer", line)
		}
		names[strings.ToLower(name)] = true
		note(name, strings.TrimSpace(value))
	}
}

func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return "", fmt.Errorf("the framing of the body: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
